import { expect } from 'chai';
import type { Verdict } from '../../../../lib/io/kube/review-reader.ts';
import { createAdmission } from '../../../../lib/io/servers/secure-admission.ts';
import { KubeError } from '../../../../lib/kube/api.ts';
import { recordedLog } from '../../../support/recorded-log.ts';
import { recordedMeasure } from '../../../support/recorded-measure.ts';

const allowed: Verdict = { outcome: 'allowed' };
const forbidden: Verdict = { outcome: 'forbidden', user: 'system:serviceaccount:ci:"robot"' };
const unauthenticated: Verdict = { outcome: 'unauthenticated' };

describe('createAdmission', () => {
  let nowMs: number;
  let asked: string[];
  let log: ReturnType<typeof recordedLog>;
  let measure: ReturnType<typeof recordedMeasure>;
  beforeEach(() => {
    nowMs = 0;
    asked = [];
    log = recordedLog();
    measure = recordedMeasure();
  });

  function admissionBy(answer: (token: string, signal: AbortSignal) => Promise<Verdict>, timeoutMs = 5_000) {
    const review = (token: string, signal: AbortSignal) => {
      asked.push(token);
      return answer(token, signal);
    };
    return createAdmission({ review, measure, log, now: () => nowMs, timeoutMs });
  }

  const count = (outcome: string) => measure.counts.get(`scrape_admissions_total{outcome="${outcome}"}`);

  it('lets in a token that the API server lets', async () => {
    const admit = admissionBy(async () => allowed);
    expect(await admit('Bearer a.b-c_d~e+f/g=')).to.equal(undefined);
    expect(await admit('bearer  other ')).to.equal(undefined);
    expect(asked).to.deep.equal(['a.b-c_d~e+f/g=', 'other']);
    expect(count('allowed')).to.equal(2);
  });

  for (const given of [undefined, '', 'Bearer', 'Bearer ', 'Basic dTpw', 'Bearer two words', 'Bearer a,b']) {
    it(`answers 401 to ${given === undefined ? 'no header' : `"${given}"`} without asking anybody`, async () => {
      const refusal = await admissionBy(async () => allowed)(given);
      expect(refusal).to.deep.equal({
        status: 401,
        sentence: 'expected a bearer token that the API server knows, got none or another',
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
      expect(asked).to.deep.equal([]);
      expect(count('unauthenticated')).to.equal(1);
    });
  }

  it('answers 401 to a token that the API server does not know', async () => {
    expect(await admissionBy(async () => unauthenticated)('Bearer x')).to.have.property('status', 401);
    expect(count('unauthenticated')).to.equal(1);
  });

  it('answers 403 to a token without the right, and names who and which', async () => {
    const refusal = await admissionBy(async () => forbidden)('Bearer x');
    expect(refusal).to.deep.equal({
      status: 403,
      sentence:
        '"system:serviceaccount:ci:\\"robot\\"" may not read metrics: RBAC lacks verb "get" on the non-resource URL "/metrics"',
      headers: {},
    });
    expect(count('forbidden')).to.equal(1);
  });

  const kept = [
    { verdict: allowed, forMs: 60_000 },
    { verdict: forbidden, forMs: 10_000 },
    { verdict: unauthenticated, forMs: 10_000 },
  ];
  for (const { verdict, forMs } of kept) {
    it(`keeps "${verdict.outcome}" for ${forMs / 1000} s and asks again then`, async () => {
      const admit = admissionBy(async () => verdict);
      for (const atMs of [0, 1, forMs - 1]) {
        nowMs = atMs;
        await admit('Bearer x');
      }
      expect(asked.length).to.equal(1);
      nowMs = forMs;
      await admit('Bearer x');
      expect(asked.length).to.equal(2);
      expect(count(verdict.outcome)).to.equal(4);
    });
  }

  it('lets nobody in on an old verdict once a new one says otherwise', async () => {
    let verdict: Verdict = allowed;
    const admit = admissionBy(async () => verdict);
    await admit('Bearer x');
    verdict = unauthenticated;
    nowMs = 60_000;
    expect(await admit('Bearer x')).to.have.property('status', 401);
    nowMs += 1;
    expect(await admit('Bearer x')).to.have.property('status', 401);
    expect(asked.length).to.equal(2);
    verdict = allowed;
    nowMs += 10_000;
    expect(await admit('Bearer x')).to.equal(undefined);
    expect(await admit('Bearer x')).to.equal(undefined);
  });

  it('keeps a thousand verdicts at most, of good tokens apart from the others', async () => {
    const admit = admissionBy(async (token) => (token.startsWith('good') ? allowed : unauthenticated));
    await admit('Bearer good');
    for (let n = 0; n <= 1_000; n += 1) await admit(`Bearer bad${n}`);
    asked = [];
    await admit('Bearer good');
    await admit('Bearer bad1000');
    expect(asked).to.deep.equal([]);
    await admit('Bearer bad0');
    expect(asked).to.deep.equal(['bad0']);
  });

  it('asks once for a token that is brought twice at the same time', async () => {
    const answer = Promise.withResolvers<Verdict>();
    const admit = admissionBy(() => answer.promise);
    const both = Promise.all([admit('Bearer x'), admit('Bearer x')]);
    answer.resolve(allowed);
    expect(await both).to.deep.equal([undefined, undefined]);
    expect(asked).to.deep.equal(['x']);
  });

  it('asks about four tokens at once and answers 503 to a fifth, but lets in who is known', async () => {
    const answer = Promise.withResolvers<Verdict>();
    const admit = admissionBy((token) => (token === 'known' ? Promise.resolve(allowed) : answer.promise));
    await admit('Bearer known');
    const waiting = [1, 2, 3, 4].map((n) => admit(`Bearer ${n}`));
    expect(await admit('Bearer 5')).to.deep.equal({
      status: 503,
      sentence: 'too many tokens are being asked about at once',
      headers: { 'Retry-After': '1' },
    });
    expect(await admit('Bearer known')).to.equal(undefined);
    answer.resolve(allowed);
    expect(await Promise.all(waiting)).to.deep.equal([undefined, undefined, undefined, undefined]);
    expect(await admit('Bearer 5')).to.equal(undefined);
    expect(count('busy')).to.equal(1);
  });

  it('answers 503 while the API server cannot be asked, says so once, and when it can again', async () => {
    let down = true;
    const admit = admissionBy(async (token) => {
      if (down) throw new KubeError('unreachable', `no way, ${token}`);
      return allowed;
    });
    const refusal = await admit('Bearer s3cr3t');
    expect(refusal).to.deep.equal({
      status: 503,
      sentence: 'the API server cannot be asked who may read metrics (unreachable)',
      headers: { 'Retry-After': '5' },
    });
    await admit('Bearer s3cr3t');
    down = false;
    expect(await admit('Bearer s3cr3t')).to.equal(undefined);
    await admit('Bearer s3cr3t');
    expect(log.lines.map(({ level, sentence }) => `${level} ${sentence}`)).to.deep.equal([
      'warn the API server cannot be asked who may read metrics',
      'debug the API server cannot be asked who may read metrics',
      'info the API server can be asked again who may read metrics',
    ]);
    expect(log.lines[0]?.fields).to.deep.equal({ failure: 'unreachable', code: 0, problem: 'no way, (token)' });
    expect(JSON.stringify(log.lines)).to.not.contain('s3cr3t');
    expect(count('unavailable')).to.equal(2);
  });

  it('answers 503 when the API server takes too long', async () => {
    const never = (_: string, signal: AbortSignal) =>
      new Promise<Verdict>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const refusal = await admissionBy(never, 1)('Bearer x');
    expect(refusal).to.deep.include({
      status: 503,
      sentence: 'the API server cannot be asked who may read metrics (silent)',
    });
  });
});
