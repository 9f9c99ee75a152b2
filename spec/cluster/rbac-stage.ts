import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { type ControllerProcess, startProcess } from '../support/controller-process.ts';
import { type Release, releaseIn } from './chart/support/release.ts';
import { rightsOnly } from './chart-rights.ts';
import { sharedCluster } from './suite.ts';
import { until } from './until.ts';

/** One verb of one rule of one role of the chart. */
export interface Right {
  readonly role: 'runs' | 'config' | 'lease' | 'metrics-auth';
  readonly verb: string;
  readonly resource: string;
  /** One of the names that the rule is limited to; absent: it is for all. */
  readonly name?: string;
}

/** A rule of a role, as RBAC has it. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** A release of the chart, and controllers that have its service account's rights and no other. */
export interface RbacStage {
  /** Every right that the release's roles on the server give. */
  rights(): Promise<readonly (Rule & Pick<Right, 'role'>)[]>;
  /** Takes one right away until the returned function is called; settles when the server denies it. */
  withhold(right: Right): Promise<() => Promise<void>>;
  /** Starts a controller; whoever starts it ends it. */
  start(args?: readonly string[]): ControllerProcess;
  /** Writes a config map of the release. */
  writeMap(name: string, data: Readonly<Record<string, string>>): Promise<void>;
  /** Makes a TaskRun that has ended. */
  finish(): Promise<void>;
  /** As if no controller had been there: no Lease, no last good settings, no config maps. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

const namespace = 'rbac';
const watched = 'rbac-runs';
const account = 'svc-pipelines-controller';
const rbac = '/apis/rbac.authorization.k8s.io/v1';

const rolePaths: Readonly<Record<Right['role'], string>> = {
  runs: `${rbac}/namespaces/${watched}/roles/${account}-${namespace}-runs`,
  config: `${rbac}/namespaces/${namespace}/roles/${account}-${namespace}-config`,
  lease: `${rbac}/namespaces/${namespace}/roles/${account}-lease`,
  'metrics-auth': `${rbac}/clusterroles/${account}-${namespace}-metrics-auth`,
};

const maps = `/api/v1/namespaces/${namespace}/configmaps`;
const lease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${account}`;

/** Installs the chart with runs in another namespace than its config, so that their roles do not overlap. */
export async function rbacStage(): Promise<RbacStage> {
  const { ask, tokenFor, kubeconfigFor } = sharedCluster();
  await releaseIn(watched);
  const release: Release = await releaseIn(namespace);
  await release.upgrade(rightsOnly([watched]));
  const token = await tokenFor({ namespace, name: account });
  const kubeconfigFile = kubeconfigFor(token);

  let finished = 0;
  const rulesOf = async (role: Right['role']) =>
    ((await ask('GET', rolePaths[role])).body as { readonly rules: readonly Rule[] }).rules;
  const setRules = async (role: Right['role'], rules: readonly Rule[]) => {
    const { body } = await ask('GET', rolePaths[role]);
    const { status } = await ask('PUT', rolePaths[role], { ...(body as object), rules });
    if (status !== 200) throw new Error(`${role}: expected 200, got ${status}`);
  };
  /** Whether the server lets the service account; its view of the roles is a little late. */
  const lets = async ({ role, verb, resource, name = '' }: Right, group: string) => {
    const at = role === 'metrics-auth' ? '' : role === 'runs' ? watched : namespace;
    const resourceAttributes = { namespace: at, verb, group, resource, name };
    const kind = 'SelfSubjectAccessReview';
    const review = { apiVersion: 'authorization.k8s.io/v1', kind, spec: { resourceAttributes } };
    const { body } = await ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review, token);
    return (body as { readonly status: { readonly allowed: boolean } }).status.allowed;
  };

  return {
    async rights() {
      const roles = Object.keys(rolePaths) as Right['role'][];
      const rules = await Promise.all(
        roles.map(async (role) => (await rulesOf(role)).map((rule) => ({ role, ...rule }))),
      );
      return rules.flat();
    },
    async withhold(right) {
      const rules = await rulesOf(right.role);
      const rule = rules.find((one) => covers(one, right));
      const [group = ''] = rule?.apiGroups ?? [];
      const without = (one: Rule) => ({ ...one, verbs: one.verbs.filter((verb) => verb !== right.verb) });
      const rest = rules.map((one) => (one === rule ? without(one) : one)).filter(({ verbs }) => verbs.length > 0);
      await setRules(right.role, rest);
      const what = `the API server to withhold ${right.verb} on ${right.resource}`;
      await until(async () => !(await lets(right, group)), { what });
      return async () => {
        await setRules(right.role, rules);
        await until(() => lets(right, group), { what: `${what} no longer` });
      };
    },
    start: (args = []) => {
      const at = ['--config-namespace', namespace, '--watch-namespace', watched, '--bind-address', '127.0.0.1'];
      const ports = ['metrics', 'health', 'profiling'].map((port) => `--${port}-port=0`);
      const quickly = ['--lease-retry', '200ms', '--checkpoint-interval', '100ms'];
      return startProcess(['--kubeconfig', kubeconfigFile, ...at, ...ports, ...quickly, ...args]);
    },
    async writeMap(name, data) {
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
      const { status } = await ask('PUT', `${maps}/${name}`, map);
      if (status === 404) await ask('POST', maps, map);
    },
    async finish() {
      finished += 1;
      const name = `finished-${finished}`;
      const path = `/apis/svc.dev/v1/namespaces/${watched}/taskruns`;
      const { body } = await ask('POST', path, { apiVersion: 'svc.dev/v1', kind: 'TaskRun', metadata: { name } });
      const status = { conditions: [{ type: 'Succeeded', status: 'True', reason: 'Succeeded' }] };
      await ask('PUT', `${path}/${name}/status`, { ...(body as object), status });
    },
    async forget() {
      await ask('DELETE', lease);
      await ask('DELETE', maps);
    },
    async close() {
      await release.uninstall(['--no-hooks']);
    },
  };
}

/** Whether this is the rule that gives the right: of two on one resource, the one with names or the one without. */
function covers({ resources, resourceNames, verbs }: Rule, { verb, resource, name }: Right): boolean {
  const named = name === undefined ? resourceNames === undefined : (resourceNames?.includes(name) ?? false);
  return named && resources.includes(resource) && verbs.includes(verb);
}

/** Scrapes a secured port as administrator, until the text matches where that is wanted. */
export async function scrapeSecurely(port: unknown, wanted?: RegExp) {
  const { kubeconfigFile } = sharedCluster();
  const { users } = JSON.parse(readFileSync(kubeconfigFile, 'utf8'));
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const headers = { authorization: `Bearer ${users[0].user.token}` };
  let last = { status: 0, text: '' };
  const once = async () => {
    const { statusCode: status, body } = await request(`https://127.0.0.1:${port}/metrics`, { dispatcher, headers });
    last = { status, text: await body.text() };
    return wanted === undefined || wanted.test(last.text);
  };
  await until(once, { what: `a scrape that matches ${wanted}`, timeoutMs: 20_000 });
  await dispatcher.destroy();
  return last;
}
