import { hash } from 'node:crypto';
import { KubeError } from '../../kube/api.ts';
import type { Log } from '../../log.ts';
import type { Measure, ScrapeAdmission } from '../../metrics/own.ts';
import type { Verdict } from '../kube/review-reader.ts';

/** Why somebody is not let in, as an answer. */
export interface Refusal {
  readonly status: 401 | 403 | 503;
  /** One sentence. */
  readonly sentence: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Undefined lets in; a refusal is the answer. Takes the Authorization header as it came; never rejects. */
export type Admission = (authorization: string | undefined) => Promise<Refusal | undefined>;

interface AdmissionOptions {
  /** Asks the API server about a token; see `reviewReader`. */
  readonly review: (token: string, signal: AbortSignal) => Promise<Verdict>;
  readonly measure: Measure;
  readonly log: Log;
  /** A monotonic clock in ms; default performance.now. */
  readonly now?: () => number;
  /** For both reviews together; default 5,000: a scraper waits 10 s. */
  readonly timeoutMs?: number;
}

/**
 * How long a verdict counts, ms. A token that is taken back lets in so much longer; a right that is given is seen
 * after so long.
 */
const keptMs = { allowed: 60_000, unauthenticated: 10_000, forbidden: 10_000 };

/** Verdicts kept of those let in, and of the others apart: a flood of wrong tokens drives no good one out. */
const maxKept = 1_000;

/** Reviews under way at once. They share 16 connections with the Lease, which must be renewed whoever knocks. */
const maxUnderWay = 4;

type Outcome = ScrapeAdmission;

const silent = { failure: 'silent', code: 0, message: 'no answer in time' } as const;

interface Kept {
  readonly verdict: Verdict;
  readonly untilMs: number;
}

/** Lets in who brings a bearer token that the API server knows and lets; verdicts are kept for a while, by hash. */
export function createAdmission({ review, measure, log, ...options }: AdmissionOptions): Admission {
  const { now = () => performance.now(), timeoutMs = 5_000 } = options;
  const kept = { allowed: new Map<string, Kept>(), refused: new Map<string, Kept>() };
  const underWay = new Map<string, Promise<Verdict>>();
  let unavailable = false;

  const recall = (key: string): Verdict | undefined => {
    const found = kept.allowed.get(key) ?? kept.refused.get(key);
    return found !== undefined && now() < found.untilMs ? found.verdict : undefined;
  };

  const ask = async (key: string, token: string): Promise<Verdict> => {
    const verdict = await review(token, AbortSignal.timeout(timeoutMs));
    kept.allowed.delete(key);
    kept.refused.delete(key);
    const part = verdict.outcome === 'allowed' ? kept.allowed : kept.refused;
    for (const oldest of part.size >= maxKept ? part.keys().take(1) : []) part.delete(oldest);
    part.set(key, { verdict, untilMs: now() + keptMs[verdict.outcome] });
    return verdict;
  };

  const judge = (token: string): Promise<Verdict> | 'busy' => {
    const key = hash('sha256', token, 'base64');
    const known = recall(key);
    if (known !== undefined) return Promise.resolve(known);
    const asked = underWay.get(key);
    if (asked !== undefined) return asked;
    if (underWay.size >= maxUnderWay) return 'busy';
    const asking = ask(key, token).finally(() => underWay.delete(key));
    underWay.set(key, asking);
    return asking;
  };

  const failed = (error: unknown, token: string) => {
    const { failure, code, message } = error instanceof KubeError ? error : silent;
    const say = unavailable ? log.debug : log.warn;
    unavailable = true;
    // What the server said stands in the message, and it may quote the token.
    const problem = message.replaceAll(token, '(token)');
    say.call(log, { failure, code, problem }, 'the API server cannot be asked who may read metrics');
    return failure;
  };

  const recovered = () => {
    if (unavailable) log.info({}, 'the API server can be asked again who may read metrics');
    unavailable = false;
  };

  const refusal = (outcome: Outcome, detail = ''): Refusal | undefined => {
    measure.count('scrape_admissions_total', { outcome });
    return outcome === 'allowed' ? undefined : refusals[outcome](detail);
  };

  return async (authorization) => {
    const token = bearerToken(authorization);
    if (token === undefined) return refusal('unauthenticated');
    const judging = judge(token);
    if (judging === 'busy') return refusal('busy');
    try {
      const verdict = await judging;
      recovered();
      return refusal(verdict.outcome, 'user' in verdict ? verdict.user : '');
    } catch (error) {
      return refusal('unavailable', failed(error, token));
    }
  };
}

const refusals: Readonly<Record<Exclude<Outcome, 'allowed'>, (detail: string) => Refusal>> = {
  unauthenticated: () => ({
    status: 401,
    sentence: 'expected a bearer token that the API server knows, got none or another',
    headers: { 'WWW-Authenticate': 'Bearer' },
  }),
  forbidden: (user) => ({
    status: 403,
    sentence: `${JSON.stringify(user)} may not read metrics: RBAC lacks verb "get" on the non-resource URL "/metrics"`,
    headers: {},
  }),
  unavailable: (failure) => ({
    status: 503,
    sentence: `the API server cannot be asked who may read metrics (${failure})`,
    headers: { 'Retry-After': '5' },
  }),
  busy: () => ({
    status: 503,
    sentence: 'too many tokens are being asked about at once',
    headers: { 'Retry-After': '1' },
  }),
};

/** RFC 6750, section 2.1; the scheme in any case. */
function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization ?? '')?.[1];
}
