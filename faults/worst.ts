import type { Verdict } from './judge.ts';
import type { RowResult } from './try-row.ts';

/** One result a row and server, in the order of their first: of each number the worst of all tries. */
export function worstOfEach(results: readonly RowResult[]): readonly RowResult[] {
  return [...Map.groupBy(results, ({ server, name }) => `${server} ${name}`).values()].map(worst);
}

function worst(tries: readonly RowResult[]): RowResult {
  const [first] = tries;
  if (first === undefined) throw new Error('expected a row that was tried, got none');
  const verdicts = tries.flatMap(({ verdict }) => verdict ?? []);
  const remarks = tries.flatMap((one) => one.remarks);
  return {
    ...first,
    ...(verdicts.length === 0 ? {} : { verdict: verdicts.reduce(worse) }),
    remarks: [...Map.groupBy(remarks, ({ name }) => name)].map(([name, all]) => ({
      name,
      value: all.map(({ value }) => value).join(' / '),
      good: all.every(({ good }) => good),
    })),
    good: tries.every(({ good }) => good),
  };
}

function worse(a: Verdict, b: Verdict): Verdict {
  const longer = <T>(one: readonly T[], other: readonly T[]) => (other.length > one.length ? other : one);
  return {
    sent: Math.max(a.sent, b.sent),
    lost: longer(a.lost, b.lost),
    sameId: Math.max(a.sameId, b.sameId),
    otherId: longer(a.otherId, b.otherId),
    outOfOrder: longer(a.outOfOrder, b.outOfOrder),
    unexpected: longer(a.unexpected, b.unexpected),
    p50Ms: Math.max(a.p50Ms, b.p50Ms),
    p99Ms: Math.max(a.p99Ms, b.p99Ms),
    refused: Math.max(a.refused, b.refused),
  };
}
