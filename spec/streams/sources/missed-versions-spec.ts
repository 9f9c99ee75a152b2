import { expect } from 'chai';
import { watchBackoff } from '../../../lib/backoff.ts';
import { KubeError, type ListQuery } from '../../../lib/kube/api.ts';
import type { Resource } from '../../../lib/run/run.ts';
import { withMissedVersions } from '../../../streams/sources/missed-versions.ts';
import { versionOf } from '../../../streams/sources/read-resources.ts';
import type { Watching } from '../../../streams/sources/watching.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { recordedMeasure } from '../../support/recorded-measure.ts';
import { resource, typeOf } from '../../support/runs.ts';

type Answer = (query: ListQuery, namespace: string) => readonly Resource[];

/** A watch at a server that answers lists at a version so. */
function world(answer: Answer) {
  const asked: string[] = [];
  const log = recordedLog();
  const measure = recordedMeasure();
  const contacts = { count: 0 };
  const list = async (_: unknown, namespace: string, query: ListQuery) => {
    asked.push(`${namespace} ${query.fieldSelector} ${query.resourceVersionMatch} ${query.resourceVersion}`);
    return { items: answer(query, namespace), resourceVersion: '99', continueToken: '' };
  };
  const watching: Watching<Resource> = {
    options: {
      api: { list, watch: () => expect.fail('nothing is watched') },
      type: typeOf('TaskRun'),
      namespace: '',
      read: (object) => object,
      resourceLabel: 'taskruns',
      measure,
      log,
      random: () => 0,
      now: () => 0,
      backoff: watchBackoff,
      pageSize: 500,
      absentPollMs: 30_000,
    },
    signal: new AbortController().signal,
    emit: () => expect.fail('nothing is emitted'),
    read: (object) => object,
    contact: () => {
      contacts.count += 1;
    },
  };
  const missed = async (since: string, ...items: readonly Resource[]) =>
    (await withMissedVersions(watching, typeOf('TaskRun'), { items, since })).map(versionOf);
  return { asked, log, measure, contacts, missed };
}

const at = (version: number, uid = 'u1') => resource({ version, uid });

/** What a storage holds that has kept these versions of one run. */
const holding =
  (...versions: readonly Resource[]): Answer =>
  ({ resourceVersion = '0' }) =>
    versions.filter((one) => Number(versionOf(one)) <= Number(resourceVersion)).slice(-1);

describe('withMissedVersions', () => {
  it('puts each object behind its versions that nobody watched', async () => {
    const { missed, asked, contacts } = world(holding(at(3), at(6), at(8), at(9)));
    expect(await missed('5', at(9))).to.deep.equal(['6', '8', '9']);
    expect(asked).to.deep.equal([8, 7, 5].map((version) => `ci metadata.name=build-1 Exact ${version}`));
    expect(contacts.count).to.equal(3);
  });

  it('asks nothing of an object that has not changed since', async () => {
    const { missed, asked } = world(holding());
    expect(await missed('5', at(5), at(4, 'u2'))).to.deep.equal(['5', '4']);
    expect(asked).to.deep.equal([]);
  });

  it('stops where the object was created', async () => {
    const { missed, asked } = world(holding(at(8)));
    expect(await missed('5', at(9))).to.deep.equal(['8', '9']);
    expect(asked).to.have.length(2);
  });

  it('stops at a run of the same name that was another', async () => {
    const { missed } = world(holding(at(7, 'former'), at(8)));
    expect(await missed('5', at(9))).to.deep.equal(['8', '9']);
  });

  for (const error of [
    new KubeError('expired', 'gone', { code: 410 }),
    new KubeError('refused', 'no version', { code: 400 }),
  ]) {
    it(`gives what there is where the server answers ${error.code}`, async () => {
      const { missed, contacts } = world(() => {
        throw error;
      });
      expect(await missed('5', at(9), at(4, 'u2'))).to.deep.equal(['9', '4']);
      expect(contacts.count).to.equal(0);
    });
  }

  const rejections = [
    new KubeError('unreachable', 'no answer'),
    new KubeError('refused', 'a server that has just started', { code: 500 }),
    new KubeError('refused', 'a gateway that waited in vain', { code: 504 }),
    new TypeError('a bug'),
  ];
  for (const error of rejections) {
    it(`rejects with ${error.message}`, async () => {
      const { missed } = world(() => {
        throw error;
      });
      expect(await missed('5', at(9)).catch((caught: unknown) => caught)).to.equal(error);
    });
  }

  it('asks in every namespace for an object without one', async () => {
    const { missed, asked } = world(holding());
    await missed('5', { metadata: { name: 'a', uid: 'u', resourceVersion: '9' } });
    expect(asked).to.deep.equal([' metadata.name=a Exact 8']);
  });

  it('reads back so many versions and no more, counts the runs and says so once', async () => {
    const { missed, asked, log, measure } = world(({ resourceVersion }) => [at(Number(resourceVersion))]);
    const versions = await missed('1', at(2500), at(3000));
    expect(asked).to.have.length(2000);
    expect([versions[0], versions.at(-2), versions.at(-1)]).to.deep.equal(['500', '2500', '3000']);
    expect(measure.counts.get('missed_versions_unread_total{resource="taskruns"}')).to.equal(2);
    expect(log.lines).to.deep.equal([
      {
        level: 'warn',
        fields: { resource: 'taskruns', limit: 2000, unread: 2 },
        sentence: 'more versions were missed than are read back',
      },
    ]);
  });

  it('counts nobody when the last request was enough', async () => {
    const { missed, asked, measure } = world(({ resourceVersion }) => [at(Number(resourceVersion))]);
    await missed('1', at(2001));
    expect([asked.length, measure.counts.size]).to.deep.equal([2000, 0]);
  });
});
