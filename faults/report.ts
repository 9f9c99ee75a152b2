import { availableParallelism } from 'node:os';
import { table } from './table.ts';
import type { RowResult } from './try-row.ts';
import { worstOfEach } from './worst.ts';

/** One server, and how long all rows took there once. */
export interface Tried {
  readonly name: string;
  /** `kube-apiserver v1.36.3`, and what else it is made of. */
  readonly versions: readonly string[];
  /** The longest of all times. */
  readonly seconds: number;
}

interface Report {
  readonly results: readonly RowResult[];
  /** As it can be typed again. */
  readonly command: string;
  readonly times: number;
  readonly servers: readonly Tried[];
}

/** A Markdown page: when, with what, by which command, how long, and the table. */
export function report({ results, command, times, servers }: Report): string {
  const versions = servers.flatMap((server) => server.versions);
  const means = [`Node.js ${process.versions.node}`, `${availableParallelism()} cores`, ...versions].join(', ');
  const tries = times === 1 ? 'Each row was tried once' : `Each row was tried ${times} times and the worst is shown`;
  const took = servers.map(({ name, seconds }) => `${name} ${(seconds / 60).toFixed(1)} min`).join(', ');
  const today = new Date().toISOString().slice(0, 10);
  return `${today}, ${means}: \`${command}\`\n\n${tries}. All rows once: ${took}.\n\n${table(worstOfEach(results))}\n`;
}
