import type { Owed } from './ledger.ts';

/** One request as the sink numbered it. */
export interface Arrival {
  readonly number: number;
  readonly atMs: number;
  readonly id: string;
  readonly source: string;
  readonly key: string;
  /** Of the URL it came to: who sent it, where replicas have URLs of their own. */
  readonly path: string;
  /** Answered 2xx: delivered. Anything else was refused, whatever the sink read of it. */
  accepted: boolean;
}

export interface Evidence {
  readonly owed: readonly Owed[];
  readonly arrivals: readonly Arrival[];
  readonly removed: ReadonlySet<string>;
  /** `present`: only the last word about a run that still exists counts as lost. */
  readonly lossOf: 'everything' | 'present';
  /** Keys that the sink never takes, by design of the row. */
  readonly untakeable: ReadonlySet<string>;
}

/** What a row came to. Times in ms. */
export interface Verdict {
  readonly sent: number;
  readonly lost: readonly string[];
  /** Deliveries of an id that had been delivered. */
  readonly sameId: number;
  /** Second ids of one telling. */
  readonly otherId: readonly string[];
  /** Sources whose first deliveries came in another order than the writes. */
  readonly outOfOrder: readonly string[];
  /** Deliveries that no write owed. */
  readonly unexpected: readonly string[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refused: number;
}

/** Compares what was written with what the sink took. */
export function judge(evidence: Evidence): Verdict {
  const accepted = evidence.arrivals.filter((one) => one.accepted);
  const first = firstOfEach(accepted);
  const known = new Set(evidence.owed.map(({ key }) => key));
  const lags = evidence.owed.flatMap(({ key, writtenMs }) => {
    const arrival = first.get(key);
    return arrival === undefined ? [] : [Math.max(0, arrival.atMs - writtenMs)];
  });
  lags.sort((a, b) => a - b);
  return {
    sent: evidence.owed.length,
    lost: lostOf(evidence, first),
    sameId: accepted.length - new Set(accepted.map(({ id }) => id)).size,
    otherId: otherIds(evidence.arrivals),
    outOfOrder: outOfOrder(evidence.owed, first),
    unexpected: accepted.filter(({ key }) => !known.has(key)).map(({ key }) => key),
    p50Ms: quantile(lags, 0.5),
    p99Ms: quantile(lags, 0.99),
    refused: evidence.arrivals.length - accepted.length,
  };
}

/** First deliveries, as a receiver keeps them that drops every id that it knows. */
function firstOfEach(accepted: readonly Arrival[]): ReadonlyMap<string, Arrival> {
  const ids = new Set<string>();
  const first = new Map<string, Arrival>();
  for (const one of accepted) {
    if (!ids.has(one.id) && !first.has(one.key)) first.set(one.key, one);
    ids.add(one.id);
  }
  return first;
}

/** Whether nothing went wrong. */
export function isClean({ lost, otherId, outOfOrder, unexpected }: Verdict): boolean {
  return [lost, otherId, outOfOrder, unexpected].every((list) => list.length === 0);
}

function lostOf({ owed, lossOf, removed, untakeable }: Evidence, first: ReadonlyMap<string, Arrival>): string[] {
  const present = new Map(owed.map(({ uid, key }) => [uid, key]));
  const wanted = owed.filter(
    ({ uid, key }) => lossOf === 'everything' || (!removed.has(uid) && present.get(uid) === key),
  );
  return wanted.filter(({ key }) => !first.has(key) && !untakeable.has(key)).map(({ key }) => key);
}

/** Also of what was refused: a receiver that answered 500 may have kept the id. */
function otherIds(arrivals: readonly Arrival[]): string[] {
  const ids = new Map<string, string>();
  return arrivals
    .filter(({ key, id }) => {
      const before = ids.get(key) ?? id;
      ids.set(key, before);
      return before !== id;
    })
    .map(({ key }) => key);
}

function outOfOrder(owed: readonly Owed[], first: ReadonlyMap<string, Arrival>): string[] {
  const last = new Map<string, number>();
  const wrong = new Set<string>();
  for (const { source, key } of owed) {
    const arrival = first.get(key);
    if (arrival === undefined) continue;
    if (arrival.number < (last.get(source) ?? 0)) wrong.add(source);
    last.set(source, arrival.number);
  }
  return [...wrong];
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** The most requests that came within one second, from a time on. */
export function busiestSecond(arrivals: readonly Arrival[], fromMs: number, toMs: number): number {
  const times = arrivals.map(({ atMs }) => atMs).filter((atMs) => atMs >= fromMs && atMs <= toMs);
  let most = 0;
  for (let first = 0, last = 0; last < times.length; last += 1) {
    while ((times[last] ?? 0) - (times[first] ?? 0) > 1000) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
