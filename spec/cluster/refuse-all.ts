import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { Cluster } from './cluster.ts';
import { until } from './until.ts';

const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1';

interface Account {
  /** A service account of the namespace `default`. */
  readonly account: string;
  readonly token: string;
}

/**
 * Gives a service account no seat by priority and fairness; settles when it is answered 429, and goes on so until what
 * it returns is called, which settles when the account is answered again.
 *
 * A level that is idle lets one request through whatever its seats are, so one that never ends is kept in it.
 */
export async function refuseAll(cluster: Cluster, { account, token }: Account): Promise<() => Promise<void>> {
  const { ask } = cluster;
  const limited = { nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: 0 };
  const level = { type: 'Limited', limited: { ...limited, limitResponse: { type: 'Reject' } } };
  await ask('POST', `${flowControl}/prioritylevelconfigurations`, { metadata: { name: account }, spec: level });
  await ask('POST', `${flowControl}/flowschemas`, flowSchema(account));
  const status = async () => (await ask('GET', '/api/v1/namespaces', undefined, token)).status;

  const leave = takeTheSeat(cluster, token);
  await until(async () => (await status()) === 429, { what: `429 for ${account}` });
  return async () => {
    await ask('DELETE', `${flowControl}/flowschemas/${account}`);
    await leave();
    await until(async () => (await status()) === 200, { what: `200 for ${account}` });
  };
}

function flowSchema(account: string): object {
  const subjects = [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'default', name: account } }];
  const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true };
  const rules = [{ subjects, resourceRules: [all], nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }];
  const spec = { priorityLevelConfiguration: { name: account }, matchingPrecedence: 100, rules };
  return { metadata: { name: account }, spec };
}

/**
 * Sits in the level's one seat, and tries for it until it has it: whoever came first is refused nothing, and a 429 to
 * somebody else in that moment says nothing about the next. What it returns gets up.
 */
function takeTheSeat(cluster: Cluster, token: string): () => Promise<void> {
  const standUp = new AbortController();
  async function sit(): Promise<void> {
    while (!standUp.signal.aborted) await neverEnding(cluster, token, standUp.signal);
  }
  const sitting = sit();
  return async () => {
    standUp.abort();
    await sitting;
  };
}

/** A request whose body does not come: it is executed until the server loses patience, after a minute. */
function neverEnding({ url, caFile }: Cluster, token: string, signal: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': 1000 };
  const options = { method: 'POST', headers, ca: readFileSync(caFile), agent: false, signal };
  const sent = request(`${url}/api/v1/namespaces/default/configmaps`, options);
  return new Promise((resolve) => {
    sent.on('error', () => {});
    sent.on('close', resolve);
    // Refused: the rest of the body is not waited for.
    sent.on('response', () => sent.destroy());
    sent.write('{');
  });
}
