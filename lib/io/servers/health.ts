/** One thing that readiness depends on. */
export interface HealthCheck {
  readonly name: string;
  readonly ok: boolean;
  /** Why it is not ok, or what its being ok means (`standby`). */
  readonly reason?: string | undefined;
}

/** How the controller is. */
export interface Health {
  readonly checks: readonly HealthCheck[];
  /** What an operator should know and what does not make it unready: problems of config maps, one line each. */
  readonly notes: readonly string[];
  /** What the status page shows besides, as rows: version, profile, role. */
  readonly facts?: Readonly<Record<string, string>> | undefined;
}

/** Whether every check is ok. */
export function isReady({ checks }: Health): boolean {
  return checks.every(({ ok }) => ok);
}

const oneLine = (text: string) => text.replaceAll(/\s*[\r\n]+\s*/g, ' ');

/** The checks as a kube-apiserver writes them under `?verbose`, then a note a line, then the verdict. */
export function verboseText(health: Health): string {
  const checks = health.checks.map(({ name, ok, reason }) => {
    const why = reason === undefined ? '' : oneLine(reason);
    return ok ? `[+]${name} ok${why && `: ${why}`}` : `[-]${name} ${why || 'failed'}`;
  });
  const verdict = `readyz check ${isReady(health) ? 'passed' : 'failed'}`;
  return [...checks, ...health.notes.map((note) => `[!]${oneLine(note)}`), verdict, ''].join('\n');
}
