import { expect } from 'chai';
import type { ControllerProcess, LogLine } from '../support/controller-process.ts';
import { type RbacStage, type Right, rbacStage, scrapeSecurely } from './rbac-stage.ts';

interface Row extends Right {
  /** Resources of log lines that say so, each; by default any line will do. */
  readonly about?: readonly string[];
  /** What stands before the start; an earlier controller's things do not, by default. */
  readonly prepare?: (stage: RbacStage) => Promise<void>;
  readonly args?: readonly string[];
  /** What makes a running controller need the right; by default its start does. */
  readonly need?: (stage: RbacStage, controller: ControllerProcess) => Promise<unknown>;
}

const maps = ['config-observability', 'config-events', 'config-defaults', 'feature-flags'];
const runs = ['taskruns', 'pipelineruns', 'customruns'];
const secure = ['--metrics-secure'];

const config = { role: 'config', resource: 'configmaps' } as const;
const watched = { ...config, name: 'config-observability', about: maps } as const;
const lastGood = { ...config, name: 'svc-pipelines-controller-last-good' } as const;
const leases = { role: 'lease', resource: 'leases' } as const;
const lease = { ...leases, name: 'svc-pipelines-controller' } as const;
const review = { role: 'metrics-auth', verb: 'create', args: secure } as const;

const goodMap = (stage: RbacStage) => stage.writeMap('config-events', { formats: 'svcv1' });
const badMap = (stage: RbacStage) => stage.writeMap('feature-flags', { 'send-cloudevents-for-runs': 'yes' });
const oldLastGood = async (stage: RbacStage) => {
  await goodMap(stage);
  await stage.writeMap(lastGood.name, {});
};
const endedRun: Row['need'] = async (stage, controller) => {
  await controller.logged(({ msg }) => msg === 'synced');
  await stage.finish();
};
const scrape: Row['need'] = async (_, controller) => {
  const { metricsPort } = await controller.logged(({ msg }) => msg === 'listening');
  await scrapeSecurely(metricsPort);
};

/** Every verb of every rule, and what a controller without it does to need it. */
const rows: readonly Row[] = [
  { role: 'runs', resource: 'taskruns', verb: 'list', about: runs },
  { role: 'runs', resource: 'taskruns', verb: 'watch', about: runs },
  { role: 'runs', resource: 'events', verb: 'create', need: endedRun },
  { ...watched, verb: 'list' },
  { ...watched, verb: 'watch' },
  { ...lastGood, verb: 'get' },
  { ...lastGood, verb: 'update', prepare: oldLastGood },
  { ...config, verb: 'create', prepare: goodMap },
  { ...config, resource: 'events', verb: 'create', need: badMap },
  { ...lease, verb: 'get' },
  { ...lease, verb: 'update' },
  { ...leases, verb: 'create' },
  { ...review, resource: 'tokenreviews', need: scrape },
  { ...review, resource: 'subjectaccessreviews', need: scrape },
];

describe("the chart's service account", () => {
  let stage: RbacStage;
  let controller: ControllerProcess | undefined;

  before(async () => {
    stage = await rbacStage();
  });

  after(() => stage.close());

  afterEach(async () => {
    await controller?.stop();
    controller = undefined;
    await stage.forget();
  });

  it('has the verbs below and no other', async () => {
    const given = (await stage.rights()).map(({ role, resources, resourceNames, verbs }) =>
      verbs.map((verb) => nameOf({ role, verb, resource: resources[0] ?? '', name: resourceNames?.[0] })),
    );

    expect(rows.map(nameOf)).to.have.members(given.flat());
  });

  it('is refused nothing while it has them', async () => {
    await oldLastGood(stage);
    controller = stage.start(secure);
    await endedRun(stage, controller);
    await badMap(stage);
    await controller.logged(({ msg }) => msg === 'settings refused, the last good ones stay');
    const { metricsPort } = await controller.logged(({ msg }) => msg === 'listening');
    const { status, text } = await scrapeSecurely(metricsPort, /kubernetes_events_total\{outcome="written"\} 2\n/);

    expect(status).to.equal(200);
    expect(text).to.match(/api_requests_total\{.*code="201"/);
    expect(text).to.not.match(/api_requests_total\{.*code="403"/);
    expect(controller.lines.filter(({ problem }) => problem !== undefined)).to.deep.equal([]);
  });

  for (const row of rows) {
    const { verb, about = [], prepare = async () => {}, args = [], need = async () => {} } = row;
    it(`says what it lacks without ${nameOf(row)}`, async () => {
      const giveBack = await stage.withhold(row);
      try {
        await prepare(stage);
        controller = stage.start(args);
        await need(stage, controller);
        for (const resource of about) {
          await controller.logged((line) => line.resource === resource && says(line, verb));
        }
        await controller.logged((line) => says(line, verb, about.length > 0 ? undefined : row.resource));
      } finally {
        await giveBack();
      }
    });
  }
});

/** A row by the rule that it is of. */
function nameOf({
  role,
  verb,
  resource,
  name,
}: Pick<Right, 'role' | 'verb' | 'resource'> & { name?: string | undefined }) {
  return `${verb} on ${resource}${name === undefined ? '' : ` such as ${name}`} (${role})`;
}

/** Whether a line names the verb that RBAC lacks, and the resource where one is given. */
function says({ problem }: LogLine, verb: string, resource?: string): boolean {
  return `${problem}`.includes(`RBAC lacks verb "${verb}" on resource "${resource ?? ''}`);
}
