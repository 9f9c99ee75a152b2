import { expect } from 'chai';
import sinon from 'sinon';
import type { ResourceType } from '../../lib/kube/api.ts';
import { errorLine } from '../../lib/kube/failure.ts';
import { silentLog } from '../../lib/log.ts';
import { watchResource } from '../../streams/sources/watch-resource.ts';
import { recordedMeasure } from '../support/recorded-measure.ts';
import { scriptedKubeApi } from '../support/scripted-kube-api.ts';

const type: ResourceType = { group: 'svc.dev', version: 'v1', plural: 'taskruns', kind: 'TaskRun' };
const asked = { verb: 'watch', group: 'svc.dev', plural: 'taskruns', namespace: '' } as const;

/** What a kube-apiserver says in a watch from before its watch cache. */
const tooOld = (versions: string) => errorLine(asked, { code: 410, message: `too old resource version: ${versions}` });
const listed = (resourceVersion: string) => ({ items: [], resourceVersion, continueToken: '' });

describe('a watch of an API server that was restarted', () => {
  let clock: sinon.SinonFakeTimers;

  beforeEach(() => {
    clock = sinon.useFakeTimers();
  });

  afterEach(() => clock.restore());

  /** Listed at 417, refused with these versions, listed again; what was asked for after that. */
  async function requestsAfter(versions: string): Promise<readonly string[]> {
    const script = scriptedKubeApi();
    script.lists.push(listed('417'), listed('425'));
    const given = { api: script.api, type, namespace: '', read: () => undefined, resourceLabel: 'taskruns' };
    const subscription = watchResource({ ...given, measure: recordedMeasure(), log: silentLog }).subscribe();
    await clock.tickAsync(0);
    const before = script.requests.length;
    script.watches.at(-1)?.fail(tooOld(versions));
    await clock.tickAsync(1000);
    subscription.unsubscribe();
    return script.requests.slice(before);
  }

  it('goes on from where its watch cache begins, so that what it wrote since is watched and not listed over', async () => {
    expect(await requestsAfter('417 (425)')).to.deep.equal([
      'list {"limit":500,"resourceVersion":"425","resourceVersionMatch":"Exact"}',
      'watch {"resourceVersion":"425"}',
    ]);
  });

  it('lists the present where what the server says leads nowhere', async () => {
    for (const versions of ['417 (400)', '417 (417)', 'whatever']) {
      expect(await requestsAfter(versions)).to.deep.equal(['list {"limit":500}', 'watch {"resourceVersion":"425"}']);
    }
  });
});
