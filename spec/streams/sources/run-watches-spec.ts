import { expect } from 'chai';
import type { Subscription } from 'rxjs';
import { type KubeApi, KubeError } from '../../../lib/kube/api.ts';
import { silentLog } from '../../../lib/log.ts';
import { type RunWatch, runWatches } from '../../../streams/sources/run-watches.ts';
import { type RecordedMeasure, recordedMeasure } from '../../support/recorded-measure.ts';
import { svc, typeOf } from '../../support/runs.ts';
import { type ScriptedKubeApi, scriptedKubeApi } from '../../support/scripted-kube-api.ts';

describe('runWatches', () => {
  const empty = { items: [], resourceVersion: '5', continueToken: '' };
  let script: ScriptedKubeApi;
  let measure: RecordedMeasure;
  let watches: readonly RunWatch[];
  const running: Subscription[] = [];

  beforeEach(() => {
    script = scriptedKubeApi();
    measure = recordedMeasure();
    script.discoveries.push([typeOf('TaskRun')], [typeOf('TaskRun')]);
    watches = runWatches({
      // Watches ask for nothing else.
      api: script.api as KubeApi,
      profile: svc,
      namespaces: ['a', 'b'],
      checkpoint: undefined,
      sinceMs: 0,
      pageSize: 500,
      measure,
      log: silentLog,
    });
  });

  afterEach(() => {
    for (const one of running.splice(0)) one.unsubscribe();
  });

  const gauge = (name: string) => measure.gauges.get(`${name}{resource="taskruns"}`);

  /** Watches the TaskRuns of a namespace until the spec ends; resolves once they are listed. */
  function listed(namespace: string): Promise<Subscription> {
    const watch = watches.find((one) => one.kind === 'TaskRun' && one.namespace === namespace);
    return new Promise((resolve) => {
      const subscription = watch?.note$.subscribe(({ type }) => {
        if (type === 'listed' && subscription !== undefined) resolve(subscription);
      });
      if (subscription !== undefined) running.push(subscription);
    });
  }

  it('says that a kind is synced once each of its namespaces is, and until one is not', async () => {
    script.lists.push(empty, empty);
    await listed('a');
    expect(gauge('resource_synced')).to.equal(0);
    const b = await listed('b');
    expect(gauge('resource_synced')).to.equal(1);
    b.unsubscribe();
    expect(gauge('resource_synced')).to.equal(0);
  });

  it('says that a kind is there where one of its namespaces may not be listed', async () => {
    script.lists.push(new KubeError('forbidden', 'may not list', { code: 403 }), empty);
    void listed('a');
    await listed('b');
    expect([gauge('resource_available'), gauge('resource_synced')]).to.deep.equal([1, 0]);
  });
});
