import { problemOf } from '../formats/problem-of.ts';
import { nearestName } from '../nearest-name.ts';
import { parseYaml } from '../parse-yaml.ts';
import { type FieldRow, fieldRows } from '../row.ts';
import { envName, envPrefix } from './env-name.ts';
import { optionRows } from './option-rows.ts';

type Values = Readonly<Record<string, unknown>>;

/** Read values by field, the weakest layer first; or one sentence about everything that is wrong. */
type Layers = { readonly layers: readonly Values[] } | { readonly error: string };

interface Sources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of a file; throws one clear sentence when there is none. */
  readonly readFile: (path: string) => string;
}

/** One place that options come from. */
interface Layer {
  /** Texts by what `nameOf` makes of an option's key. */
  readonly texts: Values;
  /** How the option is called there, for people too. */
  readonly nameOf: (key: string) => string;
}

const rows = fieldRows(optionRows);

/** Reads the file that the flags or the environment name, the environment and the flags. */
export function readLayers(flags: Readonly<Record<string, string>>, { env, readFile }: Sources): Layers {
  // A chart that leaves a variable empty means that it is not set.
  const given = Object.entries(env).filter(([name, text]) => name.startsWith(envPrefix) && text !== '');
  const file = flags.config ?? env[envName('config')] ?? '';
  const fileLayer = file === '' ? { texts: {}, nameOf: (key: string) => key } : fileLayerOf(file, readFile);
  if ('error' in fileLayer) return fileLayer;
  const stated = Object.fromEntries(Object.entries(flags).map(([key, text]) => [`--${key}`, text]));
  const layers: readonly Layer[] = [
    fileLayer,
    { texts: Object.fromEntries(given), nameOf: envName },
    { texts: stated, nameOf: (key) => `--${key}` },
  ];
  const problems = layers.flatMap((layer) => problemsOf(layer));
  if (problems.length > 0) return { error: problems.join('; ') };
  return { layers: layers.map(valuesOf) };
}

function fileLayerOf(file: string, readFile: Sources['readFile']): Layer | { readonly error: string } {
  const nameOf = (key: string) => `${file}: ${key}`;
  let text: string;
  try {
    text = readFile(file);
  } catch (error) {
    return { error: error instanceof Error ? error.message : `${file}: cannot be read` };
  }
  const { documents, problem } = parseYaml(text);
  if (problem !== undefined) return { error: `${file}: ${problem}` };
  const [content = {}, ...more] = documents;
  if (more.length > 0 || typeof content !== 'object' || content === null || Array.isArray(content)) {
    return { error: `${file}: expected one mapping of options, got something else` };
  }
  return { texts: Object.fromEntries(Object.entries(content).map(([key, given]) => [nameOf(key), given])), nameOf };
}

function problemsOf({ texts, nameOf }: Layer): readonly string[] {
  const byName = new Map(rows.map((row) => [nameOf(row.key), row]));
  return Object.entries(texts).flatMap(([name, given]) => {
    const row = byName.get(name);
    if (row === undefined) return [unknown(name, byName.keys())];
    return read(row, given) === undefined ? [problemOf(name, row.format, textOf(given))] : [];
  });
}

function valuesOf({ texts, nameOf }: Layer): Values {
  const reads = rows.map((row) => ({ row, read: read(row, texts[nameOf(row.key)]) }));
  return Object.fromEntries(reads.flatMap(({ row, read }) => (read ? [[row.field, read.value]] : [])));
}

function read({ format }: FieldRow, given: unknown) {
  return given === undefined ? undefined : format.parse(textOf(given));
}

/** YAML makes numbers, booleans and lists of what an option takes as a text. */
function textOf(given: unknown): string {
  if (given === null) return '';
  if (Array.isArray(given)) return given.map(textOf).join(',');
  return typeof given === 'object' ? JSON.stringify(given) : String(given);
}

function unknown(name: string, known: Iterable<string>): string {
  const near = nearestName(name, known);
  return near ? `${name}: unknown option, did you mean ${near}?` : `${name}: unknown option`;
}
