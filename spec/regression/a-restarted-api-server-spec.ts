import { expect } from 'chai';
import sinon from 'sinon';
import { KubeError, type ListPage, type ResourceType } from '../../lib/kube/api.ts';
import { errorLine } from '../../lib/kube/failure.ts';
import { silentLog } from '../../lib/log.ts';
import { versionOf } from '../../streams/sources/read-resources.ts';
import { watchResource } from '../../streams/sources/watch-resource.ts';
import { recordedMeasure } from '../support/recorded-measure.ts';
import { scriptedKubeApi } from '../support/scripted-kube-api.ts';

const type: ResourceType = { group: 'svc.dev', version: 'v1', plural: 'taskruns', kind: 'TaskRun' };
const asked = { verb: 'watch', group: 'svc.dev', plural: 'taskruns', namespace: '' } as const;

/** What a kube-apiserver says in a watch from before its watch cache. */
const tooOld = (versions: string) => errorLine(asked, { code: 410, message: `too old resource version: ${versions}` });
const run = (resourceVersion: string, uid = 'u1') => ({
  metadata: { name: 'a', namespace: 'ci', uid, resourceVersion },
});
const listed = (resourceVersion: string, ...items: readonly ReturnType<typeof run>[]): ListPage => ({
  items,
  resourceVersion,
  continueToken: '',
});
const gone = new KubeError('expired', 'compacted', { code: 410 });

describe('a watch of an API server that was restarted', () => {
  let clock: sinon.SinonFakeTimers;

  beforeEach(() => {
    clock = sinon.useFakeTimers();
  });

  afterEach(() => clock.restore());

  /** Listed at 417, refused with these versions, then answered with these lists; what was asked for, and told. */
  async function refusedAt(versions: string, lists: readonly (ListPage | KubeError)[] = [listed('425')]) {
    const script = scriptedKubeApi();
    script.lists.push(listed('417'), ...lists);
    const told: string[] = [];
    const given = { api: script.api, type, namespace: '', read: versionOf, resourceLabel: 'taskruns', random: () => 0 };
    const subscription = watchResource({ ...given, measure: recordedMeasure(), log: silentLog }).subscribe((event) => {
      if (event.type === 'applied') told.push(event.object);
    });
    await clock.tickAsync(0);
    const before = script.requests.length;
    script.watches.at(-1)?.fail(tooOld(versions));
    await clock.tickAsync(1000);
    subscription.unsubscribe();
    return { requests: script.requests.slice(before), told };
  }

  it('goes on from where its watch cache begins, so that what it wrote since is watched and not listed over', async () => {
    expect((await refusedAt('417 (425)')).requests).to.deep.equal([
      'list {"limit":500,"resourceVersion":"425","resourceVersionMatch":"Exact"}',
      'watch {"resourceVersion":"425"}',
    ]);
  });

  it('lists the present where what the server says leads nowhere', async () => {
    for (const versions of ['417 (400)', '417 (417)', 'whatever']) {
      const { requests } = await refusedAt(versions);
      expect(requests).to.deep.equal(['list {"limit":500}', 'watch {"resourceVersion":"425"}']);
    }
  });

  it('reads back the versions that were written before its cache began, one by one', async () => {
    const { requests, told } = await refusedAt('417 (425)', [
      listed('425', run('424')),
      listed('423', run('420')),
      listed('419'),
    ]);
    expect(told).to.deep.equal(['420', '424']);
    expect(requests.slice(1, 3)).to.deep.equal([
      'list {"fieldSelector":"metadata.name=a","resourceVersion":"423","resourceVersionMatch":"Exact"}',
      'list {"fieldSelector":"metadata.name=a","resourceVersion":"419","resourceVersionMatch":"Exact"}',
    ]);
  });

  it('asks again for a version while the server has just started and answers 500', async () => {
    const starting = new KubeError('refused', 'not ready', { code: 500 });
    const first = listed('425', run('424'));
    const { told } = await refusedAt('417 (425)', [first, starting, first, listed('423', run('420')), listed('419')]);
    expect(told).to.deep.equal(['420', '424']);
  });

  const ends: readonly { readonly title: string; readonly answer: ListPage | KubeError }[] = [
    { title: 'what was seen before', answer: listed('423', run('417')) },
    { title: 'another run of that name', answer: listed('423', run('420', 'u0')) },
    { title: 'what the storage has forgotten', answer: gone },
  ];
  for (const { title, answer } of ends) {
    it(`goes back no further than to ${title}`, async () => {
      const { told, requests } = await refusedAt('417 (425)', [listed('425', run('424')), answer]);
      expect(told).to.deep.equal(['424']);
      expect(requests.at(-1)).to.equal('watch {"resourceVersion":"425"}');
    });
  }
});
