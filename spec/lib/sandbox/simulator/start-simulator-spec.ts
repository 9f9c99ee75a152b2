import { expect } from 'chai';
import { profiles } from '../../../../lib/profile.ts';
import type { SandboxApi } from '../../../../lib/sandbox/api/sandbox-api.ts';
import { startSandboxApi } from '../../../../lib/sandbox/api/start-sandbox-api.ts';
import { jsonAt, textAt } from '../../../../lib/sandbox/api/stored-object.ts';
import { type SimulatorOptions, startSimulator } from '../../../../lib/sandbox/simulator/start-simulator.ts';

const profile = profiles.svc;
const plurals = ['taskruns', 'pipelineruns', 'customruns'];
const startMs = Date.parse('2026-01-01T00:00:00Z');

interface Told {
  readonly atMs: number;
  readonly what: string;
}

describe('startSimulator', () => {
  let api: SandboxApi;

  beforeEach(async () => {
    api = await startSandboxApi({ profile });
  });
  afterEach(() => api.close());

  /** Runs for so long of virtual time, as fast as it goes, calling back each virtual second. */
  async function simulate(lastsMs: number, options: Partial<SimulatorOptions> = {}, eachWait = () => {}) {
    const told: Told[] = [];
    let nowMs = startMs;
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const simulator = startSimulator({
      api,
      profile,
      nowMs: () => nowMs,
      delay: async (delayMs, signal) => {
        eachWait();
        nowMs += delayMs;
        if (nowMs - startMs < lastsMs) return;
        arrive();
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
      onCondition: (kind, { status, reason }) =>
        told.push({ atMs: nowMs - startMs, what: `${kind} ${status} ${reason}` }),
      ...options,
    });
    await arrived;
    await simulator.stop();
    return told;
  }

  const count = () => plurals.reduce((sum, plural) => sum + api.list(plural, '').length, 0);
  const condition = (status: unknown) => {
    const { conditions } = jsonAt({ status }, 'status');
    return Array.isArray(conditions) ? conditions[0] : undefined;
  };

  for (const seed of [1, 2, 3]) {
    it(`shows every kind of event and every metric within 20 s, whatever the seed (${seed})`, async () => {
      const told = await simulate(20_000, { seed });
      expect(told.map(({ what }) => what)).to.include.members([
        'TaskRun Unknown Started',
        'TaskRun Unknown Pending',
        'TaskRun Unknown Running',
        'TaskRun Unknown ExceededResourceQuota',
        'TaskRun Unknown ExceededNodeResources',
        'TaskRun True Succeeded',
        'TaskRun False Failed',
        'TaskRun False TaskRunValidationFailed',
        'PipelineRun Unknown PipelineRunPending',
        'PipelineRun Unknown Started',
        'PipelineRun Unknown Running',
        'PipelineRun True Succeeded',
        'PipelineRun False Failed',
        'CustomRun Unknown WaitingForApproval',
        'CustomRun Unknown Running',
        'CustomRun True Approved',
        'CustomRun False Rejected',
      ]);
    });
  }

  it('gives the same history for the same seed, and another for another', async () => {
    const names = () => plurals.flatMap((plural) => api.list(plural, '').map(({ metadata }) => metadata.name));
    const first = { told: await simulate(60_000, { seed: 7 }), names: names() };
    await api.close();
    api = await startSandboxApi({ profile });
    const second = { told: await simulate(60_000, { seed: 7 }), names: names() };
    await api.close();
    api = await startSandboxApi({ profile });
    await simulate(60_000, { seed: 8 });

    expect(second).to.deep.equal(first);
    expect(names()).not.to.deep.equal(first.names);
  });

  it('plays every ending in the long run', async () => {
    const told = await simulate(600_000);
    expect(told.map(({ what }) => what)).to.include.members([
      'TaskRun Unknown ToBeRetried',
      'TaskRun Unknown TaskRunPending',
      'TaskRun False TaskRunCancelled',
      'TaskRun False TaskRunTimeout',
      'PipelineRun False Cancelled',
      'PipelineRun False PipelineRunTimeout',
      'PipelineRun False ParameterMissing',
    ]);
  });

  it('writes at its rate', async () => {
    const before = api.revision;
    await simulate(30_000, { changesPerSecond: 20 });
    expect(api.revision - before).to.be.within(590, 610);
  });

  it('keeps so many finished runs and what is still going', async () => {
    let most = 0;
    await simulate(600_000, { keepFinished: 20 }, () => {
      most = Math.max(most, count());
    });
    expect(most).to.be.within(20, 80);
  });

  it('ties the runs of a pipeline together', async () => {
    await simulate(30_000);
    const [run] = api.list('pipelineruns', '');
    const child = api
      .list('taskruns', '')
      .find(({ metadata }) => metadata.labels?.[profile.labels.pipelineRun] === run?.metadata.name);
    const references = jsonAt(run, 'status').childReferences;

    expect(child?.metadata.labels).to.include.keys(
      Object.values(profile.labels).filter((key) => key !== profile.labels.customRun),
    );
    expect(child?.metadata.ownerReferences).to.deep.include.members([
      {
        apiVersion: 'svc.dev/v1',
        kind: 'PipelineRun',
        name: run?.metadata.name,
        uid: run?.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(Array.isArray(references) && references.map((reference) => textAt(reference, 'name'))).to.include(
      child?.metadata.name,
    );
  });

  it('writes runs of realistic size, with times in whole seconds', async () => {
    await simulate(30_000);
    const done = api.list('taskruns', '').find(({ status }) => textAt(condition(status), 'status') === 'True');
    expect(JSON.stringify(done).length).to.be.within(3000, 5000);
    const { startTime, completionTime, podName } = jsonAt(done, 'status');
    for (const time of [startTime, completionTime]) expect(time).to.match(/^2026-01-01T\d\d:\d\d:\d\dZ$/);
    expect(podName).to.equal(`${done?.metadata.name}-pod`);
  });

  it('ends what is refused before its start without a start time', async () => {
    await simulate(30_000);
    const refused = api
      .list('taskruns', '')
      .find(({ status }) => textAt(condition(status), 'reason') === 'TaskRunValidationFailed');
    expect(jsonAt(refused, 'status')).to.include.keys('completionTime').and.not.include.keys('startTime', 'podName');
  });

  it('remembers what a retried run had tried', async () => {
    await simulate(60_000);
    const retried = api
      .list('taskruns', '')
      .find(({ status }) => jsonAt({ status }, 'status').retriesStatus !== undefined);
    const tries = jsonAt(retried, 'status').retriesStatus;
    expect(Array.isArray(tries) && tries.length).to.equal(1);
  });

  it('cancels a run when somebody asks for it', async () => {
    let asked = '';
    const told = await simulate(20_000, {}, () => {
      const run = api.list('taskruns', '').find(({ status }) => textAt(condition(status), 'reason') === 'Running');
      if (asked !== '' || run === undefined) return;
      asked = run.metadata.name;
      api.patch('taskruns', 'default', asked, { spec: { status: 'TaskRunCancelled' } });
    });
    const run = api.get('taskruns', 'default', asked);
    expect(condition(run?.status)).to.include({ status: 'False', reason: 'TaskRunCancelled' });
    expect(told.map(({ what }) => what)).to.include('TaskRun False TaskRunCancelled');
  });

  it('cancels a PipelineRun when somebody asks for it', async () => {
    let asked = '';
    await simulate(20_000, {}, () => {
      const [run] = api.list('pipelineruns', '');
      if (asked !== '' || run === undefined) return;
      asked = run.metadata.name;
      api.patch('pipelineruns', 'default', asked, { spec: { status: 'Cancelled' } });
    });
    expect(condition(api.get('pipelineruns', 'default', asked)?.status)).to.include({
      status: 'False',
      reason: 'Cancelled',
    });
  });

  it('goes on when somebody deletes its runs', async () => {
    let waits = 0;
    const told = await simulate(60_000, {}, () => {
      waits += 1;
      for (const plural of waits % 10 === 0 ? plurals : []) {
        for (const { metadata } of api.list(plural, '').slice(0, 1)) api.remove(plural, 'default', metadata.name);
      }
    });
    expect(told.at(-1)?.atMs).to.be.above(50_000);
  });

  it('uses the names of its profile', async () => {
    await api.close();
    api = await startSandboxApi({ profile: profiles.tekton });
    await simulate(5000, { profile: profiles.tekton, namespace: 'shop' });
    const [run] = api.list('taskruns', 'shop');
    expect(run?.apiVersion).to.equal('tekton.dev/v1');
    expect(run?.metadata.labels).to.include.keys('tekton.dev/task');
  });

  it('stops on the wall clock too', async () => {
    const first = new Promise<void>((resolve) => {
      const simulator = startSimulator({
        api,
        profile,
        changesPerSecond: 500,
        onCondition: () => void simulator.stop().then(resolve),
      });
    });
    await first;
    const { revision } = api;
    await new Promise(setImmediate);
    expect(api.revision).to.equal(revision);
  });

  it('hands a failure to whoever stops it', async () => {
    const broken = {
      ...api,
      types: api.types,
      apply: () => {
        throw new Error('no room');
      },
    };
    const simulator = startSimulator({ api: broken, profile, delay: async () => {} });
    let failure: unknown;
    await simulator.done.catch((error: unknown) => {
      failure = error;
    });
    expect(String(failure)).to.contain('no room');
    expect(await simulator.stop().catch((error: unknown) => error)).to.equal(failure);
  });
});
