import type { Profile } from '../lib/profile.ts';
import { crossMapWarnings } from './cross-map-warnings.ts';
import { defaultSettings } from './default-settings.ts';
import { nearestName } from './nearest-name.ts';
import { parseMap } from './parse-map.ts';
import { parseYaml } from './parse-yaml.ts';
import { type MapName, mapNames, type Settings } from './settings.ts';

interface ConfigFile {
  /** As the user named it. */
  readonly name: string;
  readonly text: string;
}

interface CheckReport {
  /** `FILE: MAP: ok`, `FILE: MAP: warning: ...` or `FILE: MAP: KEY: expected ..., got ...`. */
  readonly lines: readonly string[];
  /** 1 when anything is wrong; warnings are not. */
  readonly exitCode: 0 | 1;
}

/** What one document came to. */
interface Checked {
  readonly lines: readonly string[];
  readonly ok: boolean;
  /** The settings that a good map gives. */
  readonly settings: Partial<Settings>;
}

/**
 * Checks config maps in YAML, one or more a file, as the controller would read them: every problem at once.
 *
 * Whatever is not one of the four maps is a problem; `kind: List` is looked into.
 */
export function checkConfig(files: readonly ConfigFile[], profile: Profile): CheckReport {
  const checked = files.flatMap(({ name, text }) => checkFile(name, text, profile));
  const settings = Object.assign(defaultSettings(profile), ...checked.map((one) => one.settings));
  const between = crossMapWarnings(settings).map((warning) => `config-defaults: warning: ${warning}`);
  return {
    lines: [...checked.flatMap(({ lines }) => lines), ...between],
    exitCode: checked.every(({ ok }) => ok) ? 0 : 1,
  };
}

function checkFile(name: string, text: string, profile: Profile): readonly Checked[] {
  const { documents, problem } = parseYaml(text);
  if (problem !== undefined) return [wrong(`${name}: ${problem}`)];
  const objects = documents.flatMap(itemsOf);
  if (objects.length === 0) return [wrong(`${name}: expected a ConfigMap, got an empty file`)];
  return objects.map((object) => checkObject(name, object, profile));
}

function itemsOf(document: unknown): readonly unknown[] {
  const { kind, items } = fieldsOf(document);
  return (kind === 'List' || kind === 'ConfigMapList') && Array.isArray(items) ? items : [document];
}

function checkObject(file: string, object: unknown, profile: Profile): Checked {
  const { kind, metadata, data } = fieldsOf(object);
  if (kind !== 'ConfigMap') return wrong(`${file}: expected kind ConfigMap, got ${shown(kind)}`);
  const { name } = fieldsOf(metadata);
  const known = mapNames.find((each) => each === name);
  if (known === undefined) return wrong(`${file}: ${unknownMap(name)}`);
  if (data !== undefined && data !== null && (typeof data !== 'object' || Array.isArray(data))) {
    return wrong(`${file}: ${known}: data: expected a mapping of keys to texts, got something else`);
  }
  return checkMap(`${file}: ${known}`, known, fieldsOf(data), profile);
}

function checkMap(where: string, name: MapName, data: Readonly<Record<string, unknown>>, profile: Profile): Checked {
  const parsed = parseMap(name, data, profile);
  const warnings = parsed.warnings.map((warning) => `${where}: warning: ${warning}`);
  if (parsed.ok) return { lines: [...warnings, `${where}: ok`], ok: true, settings: { [name]: parsed.value } };
  return { ...wrong(...parsed.problems.map((problem) => `${where}: ${problem}`), ...warnings) };
}

function wrong(...lines: string[]): Checked {
  return { lines, ok: false, settings: {} };
}

function unknownMap(name: unknown): string {
  const expected = `expected a ConfigMap called ${mapNames.join(' | ')}, got ${shown(name)}`;
  const near = typeof name === 'string' ? nearestName(name, mapNames) : undefined;
  return near ? `${expected}, did you mean ${near}?` : expected;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : 'none';
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
