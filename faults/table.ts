import type { RowResult } from './try-row.ts';

const titles = [
  'server',
  'fault',
  'sent',
  'lost',
  'same id again',
  'other id',
  'out of order',
  'p50 lag',
  'p99 lag',
  'refused',
  'remarks',
];

/** Results as a Markdown table. */
export function table(results: readonly RowResult[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...results.map((result) => line(cellsOf(result)))].join('\n');
}

function cellsOf({ name, server, verdict, skipped, remarks, good }: RowResult): string[] {
  if (verdict === undefined) return [server, name, ...Array(8).fill('–'), `not tried: ${skipped}`];
  const { sent, lost, sameId, otherId, outOfOrder, unexpected, p50Ms, p99Ms, refused } = verdict;
  const said = [
    ...remarks.map((remark) => `${remark.name}: ${remark.value}`),
    ...(unexpected.length > 0 ? [`unexpected: ${unexpected.length}`] : []),
    ...(good ? [] : ['RED']),
  ];
  const counts = [sent, lost.length, sameId, otherId.length, outOfOrder.length].map(String);
  return [server, name, ...counts, duration(p50Ms), duration(p99Ms), String(refused), said.join('; ')];
}

function duration(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
