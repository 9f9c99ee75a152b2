import { expect } from 'chai';
import { lastValueFrom, toArray } from 'rxjs';
import sinon from 'sinon';
import type { PendingEvent } from '../../../lib/checkpoint/checkpoint.ts';
import { KubeError, type ListPage, type ListQuery } from '../../../lib/kube/api.ts';
import type { Resource } from '../../../lib/run/run.ts';
import { recoverPending } from '../../../streams/sources/recover-pending.ts';
import { outgoing } from '../../support/outgoing.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { recordedMeasure } from '../../support/recorded-measure.ts';
import { resource, svc, typeOf } from '../../support/runs.ts';

const expired = new KubeError('expired', 'compacted', { code: 410 });
const unreachable = new KubeError('unreachable', 'no answer');
const starting = new KubeError('refused', 'a server that has just started', { code: 500 });
const noVersion = new KubeError('refused', 'no version', { code: 400 });

function pending(given: Partial<PendingEvent> = {}): PendingEvent {
  const where = { kind: 'TaskRun', namespace: 'ci', name: 'build-1', uid: 'u1', word: 'running' } as const;
  return { ...where, id: 'first-id', resourceVersion: '7', sequence: '7.0', ...given };
}

describe('recoverPending', () => {
  let clock: sinon.SinonFakeTimers;
  beforeEach(() => {
    clock = sinon.useFakeTimers();
  });
  afterEach(() => clock.restore());

  /** Recovers against a server that answers lists by version ('' is the present). */
  const recover = async (
    events: readonly PendingEvent[],
    answers: Readonly<Record<string, readonly (Resource | KubeError)[]>>,
  ) => {
    const [asked, measure, log] = [[] as string[], recordedMeasure(), recordedLog()];
    const turns = new Map(Object.entries(answers).map(([version, list]) => [version, [...list]]));
    const api = {
      discover: async () => [typeOf('TaskRun')],
      list: async (_type: unknown, namespace: string, query: ListQuery): Promise<ListPage> => {
        const version = query.resourceVersion ?? '';
        asked.push(`${namespace} ${query.fieldSelector} ${version}${query.resourceVersionMatch ?? ''}`);
        const list = turns.get(version);
        const answer = list !== undefined && list.length > 1 ? list.shift() : list?.[0];
        if (answer instanceof KubeError) throw answer;
        return { items: answer === undefined ? [] : [answer], resourceVersion: '99', continueToken: '' };
      },
    };
    const events$ = recoverPending({
      api,
      profile: svc,
      pending: events,
      // The id says what the run says, so that a changed run gets another.
      eventOf: ({ run }, word, synthesized) => ({
        ...outgoing({ word, id: `id of ${run.condition?.reason}` }),
        synthesized,
      }),
      measure,
      log,
      random: () => 1,
    });
    const done = lastValueFrom(events$.pipe(toArray()));
    await clock.runAllAsync();
    const [values = []] = await done;
    const told = values.map(
      ({ id, sequence, synthesized, resourceVersion }) => `${id} ${sequence} ${resourceVersion} ${synthesized}`,
    );
    const said = log.lines.filter(({ level }) => level === 'warn').map(({ sentence }) => sentence);
    return { told, asked, said, lost: measure.counts.get('event_drops_total{cause="history-lost"}') ?? 0 };
  };

  const running = resource({ condition: 'Unknown/Running/', version: 7 });

  it('has nothing to ask where nothing was pending', async () => {
    expect(await recover([], {})).to.deep.equal({ told: [], asked: [], said: [], lost: 0 });
  });

  it('reads the run as it was at the version of the event, under the id of then', async () => {
    const { told, asked } = await recover([pending()], { 7: [running] });
    expect(told).to.deep.equal(['first-id 7.0 7 false']);
    expect(asked).to.deep.equal(['ci metadata.name=build-1 7Exact']);
  });

  it('tells the events in the order of their sequences', async () => {
    const events = [pending({ sequence: '7.1', id: 'b' }), pending({ sequence: '7.0', id: 'a' })];
    expect((await recover(events, { 7: [running] })).told).to.deep.equal(['a 7.0 7 false', 'b 7.1 7 false']);
  });

  it('tells as synthesized a run that still says the same, where the history is gone', async () => {
    const event = pending({ id: 'id of Running' });
    const { told, lost } = await recover([event], { 7: [expired], '': [running] });
    expect(told).to.deep.equal(['id of Running 7.0 7 true']);
    expect(lost).to.equal(0);
  });

  const losses: readonly { title: string; answers: Readonly<Record<string, readonly (Resource | KubeError)[]>> }[] = [
    {
      title: 'the run says something else by now',
      answers: { 7: [expired], '': [resource({ condition: 'True/Succeeded/' })] },
    },
    { title: 'the run is gone', answers: { 7: [expired] } },
    { title: 'the version is none to the server, and the run is gone', answers: { 7: [noVersion] } },
    { title: 'another run has its name', answers: { 7: [resource({ uid: 'u2', condition: 'Unknown/Running/' })] } },
  ];
  for (const { title, answers } of losses) {
    it(`counts as lost what cannot be told, because ${title}`, async () => {
      expect(await recover([pending({ id: 'id of Running' })], answers)).to.deep.include({ told: [], lost: 1 });
    });
  }

  it('asks again for as long as the server does not answer', async () => {
    const { told, asked } = await recover([pending()], { 7: [unreachable, starting, running] });
    expect(told).to.deep.equal(['first-id 7.0 7 false']);
    expect(asked).to.have.length(3);
  });

  it('counts and says once what is lost, however often the server is asked for the others', async () => {
    const events = [pending({ id: 'lost', resourceVersion: '3' }), pending()];
    const { told, lost, said } = await recover(events, { 3: [expired], 7: [unreachable, unreachable, running] });
    expect(told).to.deep.equal(['first-id 7.0 7 false']);
    expect(lost).to.equal(1);
    expect(said).to.deep.equal([
      'unacknowledged events cannot be read back yet',
      'an unacknowledged event is lost, the history of its run is gone',
    ]);
  });
});
