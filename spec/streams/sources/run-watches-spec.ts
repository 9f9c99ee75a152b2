import { expect } from 'chai';
import { filter, firstValueFrom } from 'rxjs';
import type { KubeApi } from '../../../lib/kube/api.ts';
import { silentLog } from '../../../lib/log.ts';
import { type RunWatch, runWatches } from '../../../streams/sources/run-watches.ts';
import { recordedMeasure } from '../../support/recorded-measure.ts';
import { svc, typeOf } from '../../support/runs.ts';
import { scriptedKubeApi } from '../../support/scripted-kube-api.ts';

describe('runWatches', () => {
  const empty = { items: [], resourceVersion: '5', continueToken: '' };

  it('says that a kind is synced once each of its namespaces is', async () => {
    const script = scriptedKubeApi();
    const measure = recordedMeasure();
    const types = [typeOf('TaskRun')];
    script.discoveries.push(types, types);
    script.lists.push(empty, empty);
    const [a, b] = runWatches({
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
    const synced = () => measure.gauges.get('resource_synced{resource="taskruns"}');
    const listed = async (watch: RunWatch | undefined) => {
      if (watch !== undefined) await firstValueFrom(watch.note$.pipe(filter(({ type }) => type === 'listed')));
    };
    await listed(a);
    expect(synced()).to.equal(0);
    await listed(b);
    expect(synced()).to.equal(1);
  });
});
