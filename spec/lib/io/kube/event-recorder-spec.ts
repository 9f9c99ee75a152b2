import { expect } from 'chai';
import { tokenBuckets } from '../../../../lib/events/token-bucket.ts';
import { createEventRecorder, type EventRecorderOptions } from '../../../../lib/io/kube/event-recorder.ts';
import { KubeError, type KubeFailure } from '../../../../lib/kube/api.ts';
import type { Resource } from '../../../../lib/run/run.ts';
import { recordedLog } from '../../../support/recorded-log.ts';
import { recordedMeasure } from '../../../support/recorded-measure.ts';

function kubeEvent(name: string, uid = `uid-${name}`): Resource {
  return { metadata: { name, namespace: 'ci' }, involvedObject: { uid } };
}

function refusal(failure: KubeFailure, retryAfterMs?: number): KubeError {
  return new KubeError(failure, `create events in ci: ${failure}`, { retryAfterMs });
}

/** A recorder whose API server answers by script: what is undefined is written. */
function recorderWith(answers: readonly (Error | undefined)[], options: Partial<EventRecorderOptions> = {}) {
  const script = [...answers];
  const created: unknown[][] = [];
  const waits: number[] = [];
  const log = recordedLog();
  const measure = recordedMeasure();
  const recorder = createEventRecorder({
    api: {
      create: async (type, namespace, object) => {
        created.push([type.plural, namespace, (object.metadata as Resource).name]);
        const answer = script.shift();
        if (answer !== undefined) throw answer;
        return object;
      },
    },
    log,
    measure,
    random: () => 1,
    wait: async (ms) => waits.push(ms),
    ...options,
  });
  return { recorder, created, waits, log, measure };
}

describe('createEventRecorder', () => {
  it('writes an Event in the namespace of its run', async () => {
    const { recorder, created, measure } = recorderWith([undefined]);
    expect(await recorder.record(kubeEvent('a.1'))).to.equal('written');
    expect(created).to.deep.equal([['events', 'ci', 'a.1']]);
    expect(measure.counts.get('kubernetes_events_total{outcome="written"}')).to.equal(1);
  });

  const outcomes = [
    { failure: 'conflict', outcome: 'exists', tries: 1 },
    { failure: 'forbidden', outcome: 'forbidden', tries: 1 },
    { failure: 'absent', outcome: 'failed', tries: 1 },
    { failure: 'refused', outcome: 'failed', tries: 1 },
    { failure: 'unreachable', outcome: 'failed', tries: 4 },
    { failure: 'busy', outcome: 'failed', tries: 4 },
  ] as const;
  for (const { failure, outcome, tries } of outcomes) {
    it(`ends ${outcome} after ${tries} tries when every answer is ${failure}`, async () => {
      const { recorder, created, measure } = recorderWith(Array.from({ length: 9 }, () => refusal(failure)));
      expect(await recorder.record(kubeEvent('a.1'))).to.equal(outcome);
      expect(created.length).to.equal(tries);
      expect(measure.counts.get(`kubernetes_events_total{outcome="${outcome}"}`)).to.equal(1);
    });
  }

  it('waits longer before each try, and as long as the server asks', async () => {
    const answers = [refusal('unreachable'), refusal('busy', 7000), refusal('busy', 600_000), undefined];
    const { recorder, waits } = recorderWith(answers);
    expect(await recorder.record(kubeEvent('a.1'))).to.equal('written');
    expect(waits).to.deep.equal([500, 7000, 30_000]);
  });

  it('fails at what is no answer of an API server', async () => {
    const { recorder, log } = recorderWith([new TypeError('a bug')]);
    expect(await recorder.record(kubeEvent('a.1'))).to.equal('failed');
    expect(log.lines[0]?.fields).to.deep.equal({ problem: 'TypeError: a bug' });
  });

  it('warns once until Events are written again', async () => {
    const forbidden = refusal('forbidden');
    const { recorder, log } = recorderWith([forbidden, forbidden, undefined, forbidden]);
    for (const name of ['a', 'b', 'c', 'd']) await recorder.record(kubeEvent(name));
    expect(log.lines.map(({ level }) => level)).to.deep.equal(['warn', 'debug', 'warn']);
    expect(log.lines[0]?.sentence).to.equal('the API server forbids Kubernetes Events');
  });

  it('has a few writes under way at once, and lets so many wait', async () => {
    const open: (() => void)[] = [];
    const create = () => new Promise<Resource>((resolve) => open.push(() => resolve({})));
    const { recorder, measure } = recorderWith([], { api: { create }, maxInFlight: 2, maxWaiting: 2 });
    const recorded = ['a', 'b', 'c', 'd', 'e'].map((name) => recorder.record(kubeEvent(name)));
    expect(await recorded[4]).to.equal('rate-limited');
    expect(open.length).to.equal(2);
    for (const index of [0, 1, 2, 3]) {
      open[index]?.();
      expect(await recorded[index]).to.equal('written');
    }
    expect(measure.counts.get('kubernetes_events_total{outcome="rate-limited"}')).to.equal(1);
  });

  it('lets a run have no more Events than its bucket holds', async () => {
    const buckets = tokenBuckets({ perKey: { burst: 2, perSecond: 1 } });
    let nowMs = 0;
    const { recorder } = recorderWith([], { buckets, now: () => nowMs });
    const outcomes = [];
    for (let n = 0; n < 3; n += 1) outcomes.push(await recorder.record(kubeEvent(`a.${n}`, 'one run')));
    nowMs = 1000;
    outcomes.push(await recorder.record(kubeEvent('a.3', 'one run')));
    expect(outcomes).to.deep.equal(['written', 'written', 'rate-limited', 'written']);
  });

  it('makes no Event that may not be written, and counts it all the same', async () => {
    const buckets = tokenBuckets({ perKey: { burst: 1, perSecond: 0 } });
    const { recorder, created, measure } = recorderWith([], { buckets });
    const made: string[] = [];
    const make = (name: string) => () => {
      made.push(name);
      return kubeEvent(name, 'one run');
    };
    const outcomes = [
      await recorder.recordAbout('one run', make('a')),
      await recorder.recordAbout('one run', make('b')),
    ];
    expect([outcomes, made, created.length]).to.deep.equal([['written', 'rate-limited'], ['a'], 1]);
    expect(measure.counts.get('kubernetes_events_total{outcome="rate-limited"}')).to.equal(1);
  });

  it('fails at an Event that cannot be made, and goes on with the next', async () => {
    const { recorder, log, measure } = recorderWith([undefined]);
    const make = () => {
      throw new RangeError('no time');
    };
    expect(await recorder.recordAbout('a run', make)).to.equal('failed');
    expect(await recorder.record(kubeEvent('b'))).to.equal('written');
    expect(measure.counts.get('kubernetes_events_total{outcome="failed"}')).to.equal(1);
    expect(log.lines).to.deep.equal([
      { level: 'warn', fields: { problem: 'RangeError: no time' }, sentence: 'a Kubernetes Event was not written' },
    ]);
  });

  it('knows an object without a uid by its name', async () => {
    const buckets = tokenBuckets({ perKey: { burst: 1, perSecond: 0 } });
    const { recorder } = recorderWith([], { buckets });
    const outcomes = [];
    for (const name of ['a', 'b', 'a']) outcomes.push(await recorder.record(kubeEvent(name, '')));
    expect(outcomes).to.deep.equal(['written', 'written', 'rate-limited']);
  });

  it('ends its waits when closed', async () => {
    const waiting = Promise.withResolvers<void>();
    const wait: EventRecorderOptions['wait'] = (_, signal) => {
      waiting.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', reject));
    };
    const { recorder } = recorderWith([refusal('unreachable')], { wait });
    const recorded = recorder.record(kubeEvent('a'));
    await waiting.promise;
    recorder.close();
    expect(await recorded).to.equal('failed');
  });
});
