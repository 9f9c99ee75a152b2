/** One thing that readiness depends on. */
export interface HealthCheck {
  readonly name: string;
  readonly ok: boolean;
  /** Why it is not ok, or what its being ok means (`standby`). */
  readonly reason?: string | undefined;
}

/** A setting in force; times as ISO 8601 in UTC. */
export interface ShownSetting {
  readonly map: string;
  readonly key: string;
  readonly value: string;
  /** `map`, `default` or `last-good`. */
  readonly source: string;
  /** Of the version of the map that brought the value; null where no map did. */
  readonly resourceVersion: string | null;
  readonly since: string;
}

/** How a config map stands: the version last read, and what was wrong with it. */
export interface ShownMap {
  readonly name: string;
  readonly source: string;
  readonly resourceVersion: string | null;
  readonly since: string;
  /** null while the map is not refused. */
  readonly refusedSince: string | null;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** What became of one signal's protocol: the one in force, and why the one asked for is not. */
export interface ShownExporter {
  readonly signal: string;
  readonly protocol: string;
  readonly since: string;
  readonly problem: string | null;
}

/** How the controller is. */
export interface Health {
  readonly checks: readonly HealthCheck[];
  /** What an operator should know and what does not make it unready: problems of config maps, one line each. */
  readonly notes: readonly string[];
  /** What the status page shows besides, as rows: version, profile, role. */
  readonly facts?: Readonly<Record<string, string>> | undefined;
  readonly settings?: readonly ShownSetting[];
  readonly maps?: readonly ShownMap[];
  readonly exporters?: readonly ShownExporter[];
}

/** Whether every check is ok. */
export function isReady({ checks }: Health): boolean {
  return checks.every(({ ok }) => ok);
}

const oneLine = (text: string) => text.replaceAll(/\s*[\r\n]+\s*/g, ' ');

/** Where a setting in force comes from, and since when. */
export function originOf({ source, resourceVersion, since }: Omit<ShownSetting, 'map' | 'key' | 'value'>): string {
  const version = resourceVersion === null ? '' : ` at version ${resourceVersion}`;
  return `from ${source}${version}, since ${since}`;
}

/** The same as data: everything that the pages show. */
export function statusJson(health: Health): object {
  const { checks, notes, facts = {}, settings = [], maps = [], exporters = [] } = health;
  return { ready: isReady(health), facts, checks, notes, maps, settings, exporters };
}

/** Checks as a kube-apiserver writes them under `?verbose`, then a setting a line, a note a line, and the verdict. */
export function verboseText(health: Health): string {
  const checks = health.checks.map(({ name, ok, reason }) => {
    const why = reason === undefined ? '' : oneLine(reason);
    return ok ? `[+]${name} ok${why && `: ${why}`}` : `[-]${name} ${why || 'failed'}`;
  });
  const settings = (health.settings ?? []).map(
    (one) => `[=]${one.map} ${one.key}: ${oneLine(one.value)} (${originOf(one)})`,
  );
  const verdict = `readyz check ${isReady(health) ? 'passed' : 'failed'}`;
  return [...checks, ...settings, ...health.notes.map((note) => `[!]${oneLine(note)}`), verdict, ''].join('\n');
}
