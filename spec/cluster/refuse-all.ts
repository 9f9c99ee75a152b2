import { readFileSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
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
 * Gives a service account no seat by priority and fairness; settles when it is answered 429. What it returns takes
 * that back.
 *
 * An idle level lets one request through whatever its seats are, so one that never ends is kept in it.
 */
export async function refuseAll(cluster: Cluster, { account, token }: Account): Promise<() => Promise<void>> {
  const { ask } = cluster;
  const limited = { nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: 0 };
  const level = { type: 'Limited', limited: { ...limited, limitResponse: { type: 'Reject' } } };
  await ask('POST', `${flowControl}/prioritylevelconfigurations`, { metadata: { name: account }, spec: level });
  const { body: schema } = await ask('POST', `${flowControl}/flowschemas`, flowSchema(account));
  const answer = async () => (await ask('GET', '/api/v1/namespaces', undefined, token)).status;

  let endless = neverEnding(cluster, token);
  const refused = async () => {
    if (endless.answered()) endless = neverEnding(cluster, token);
    return (await answer()) === 429;
  };
  await until(refused, { what: `429 for ${account}, got ${JSON.stringify(schema)}` });
  return async () => {
    await ask('DELETE', `${flowControl}/flowschemas/${account}`);
    endless.end();
    await until(async () => (await answer()) === 200, { what: `200 for ${account}` });
  };
}

function flowSchema(account: string): object {
  const subjects = [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'default', name: account } }];
  const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true };
  const rules = [{ subjects, resourceRules: [all], nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }];
  const spec = { priorityLevelConfiguration: { name: account }, matchingPrecedence: 100, rules };
  return { metadata: { name: account }, spec };
}

/** A request whose body does not come: it is being executed until the server loses patience, after a minute. */
function neverEnding({ url, caFile }: Cluster, token: string) {
  let answered = false;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': 1000 };
  const ca = readFileSync(caFile);
  const sent: ClientRequest = request(`${url}/api/v1/namespaces/default/configmaps`, { method: 'POST', headers, ca });
  sent.on('error', () => {
    answered = true;
  });
  sent.on('response', (response) => {
    answered = true;
    response.resume();
  });
  sent.write('{');
  return { answered: () => answered, end: () => void sent.destroy() };
}
