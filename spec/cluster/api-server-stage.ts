import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kind } from '../../lib/run/kind.ts';
import { createRun, type RunOnServer } from '../support/run-on-server.ts';
import { linesOf } from '../support/scrape.ts';
import { realServer, type ServerUnderTest } from '../support/server-under-test.ts';
import { startWorld, type World } from '../support/world.ts';
import type { Cluster } from './cluster.ts';
import { kubeconfig } from './kubeconfig.ts';

/** A short lease and short pauses: what takes seconds in production takes some tenths here. */
export const quickly = [
  ...['--lease-duration', '2s', '--lease-renew-deadline', '1500ms', '--lease-retry', '200ms'],
  ...['--checkpoint-interval', '100ms', '--sink-backoff-initial', '10ms', '--sink-backoff-max', '50ms'],
];

/** A life that owes one event of each type; `started` comes with the first. */
export const life = ['Unknown/Running/', 'Unknown/Pending/', 'True/Succeeded/'];
const words = ['started', 'running', 'unknown', 'successful'];

/** Types that the sink must have been told of about a run with this life. */
const toldTypes = words.map((word) => `dev.svc.event.taskrun.${word}.v1`);

/** The whole controller on a cluster of the spec's own. */
export async function worldOn(
  cluster: Cluster,
  options: Parameters<typeof startWorld>[0] & { readonly kubeconfigFile?: string } = {},
): Promise<World> {
  const { kubeconfigFile = cluster.kubeconfigFile, args = [], ...more } = options;
  const server: ServerUnderTest = { ...serverOf(cluster), kubeconfigOf: () => kubeconfigFile };
  return startWorld({ ...more, server, args: [...quickly, ...args] });
}

/** The cluster as it is now, for requests of the spec. */
export function serverOf({ kubeconfigFile, etcdUrl }: Cluster): ServerUnderTest {
  return realServer(kubeconfigFile, etcdUrl);
}

/** Lets a new run live while something happens in the midst of it; settles when the sink knows its end. */
export async function liveThrough(
  { server, namespace, sink }: Pick<World, 'server' | 'namespace' | 'sink'>,
  name: string,
  happen: () => Promise<unknown> = async () => {},
  kind: Kind = 'TaskRun',
): Promise<RunOnServer> {
  const run = await createRun({ server, namespace, sink }, { kind, name, more: {} });
  const [first = '', ...rest] = life;
  await run.condition(first);
  await run.told('running');
  await happen();
  for (const condition of rest) await run.condition(condition);
  await run.told('successful');
  return run;
}

/** Ids of the events about a run, each that came; and what was dropped of any, by cause. */
export async function losses({ sink, scrape }: World, name: string) {
  const about = sink.received.filter(({ headers }) => headers['ce-subject'] === name);
  const ids = new Set(about.map(({ headers }) => headers['ce-id']));
  const dropped = linesOf(await scrape(), 'event_drops_total').filter((line) => !line.endsWith(' 0'));
  return { types: sink.typesOf(name), ids: ids.size, dropped };
}

/** A run with that life of which nothing was lost, and told under one id each. */
export const lostNothing = { types: toldTypes, ids: toldTypes.length, dropped: [] };

/** A service account that may do everything; made at the first call. */
export async function mightyToken(cluster: Cluster, name: string): Promise<string> {
  const token = await cluster.tokenFor({ namespace: 'default', name });
  await cluster.ask('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name }],
  });
  return token;
}

/** A kubeconfig file whose token stands in another file. */
export function kubeconfigWithTokenFile({ url, caFile, dir }: Cluster, tokenFile: string): string {
  const file = join(dir, 'kubeconfig-token-file');
  const text = kubeconfig({ server: url, caFile, token: '' });
  const config = JSON.parse(text);
  writeFileSync(file, JSON.stringify({ ...config, users: [{ name: 'spec', user: { tokenFile } }] }), { mode: 0o600 });
  return file;
}
