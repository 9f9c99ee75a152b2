import type { Cluster } from '../../cluster.ts';
import { sharedCluster } from '../../suite.ts';
import { until } from '../../until.ts';

interface Job {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly status?: Readonly<Record<string, unknown>>;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly serviceAccountName: string;
        readonly containers: readonly { readonly args: readonly string[] }[];
      };
    };
  };
}

/**
 * Plays the Job controller and the kubelet for the cleanup Job: no one else does here.
 *
 * Waits for the Job, deletes what its arguments name with its own service account, and marks it complete. Gives the
 * answers to the two deletions.
 */
export async function playCleanupJob(
  namespace: string,
  { ask, tokenFor }: Cluster = sharedCluster(),
): Promise<readonly number[]> {
  const path = `/apis/batch/v1/namespaces/${namespace}/jobs/svc-pipelines-controller-cleanup`;
  await until(async () => (await ask('GET', path)).status === 200, { what: 'the cleanup Job' });
  const job = (await ask('GET', path)).body as Job;
  const { serviceAccountName, containers } = job.spec.template.spec;
  const token = await tokenFor({ namespace, name: serviceAccountName });
  const argument = (name: string) =>
    containers[0]?.args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3) ?? '';
  const owned = [
    `/apis/coordination.k8s.io/v1/namespaces/${argument('lease-namespace')}/leases/${argument('lease-name')}`,
    `/api/v1/namespaces/${argument('config-namespace')}/configmaps/${argument('profile')}-pipelines-controller-last-good`,
  ];
  const answers: number[] = [];
  for (const object of owned) answers.push((await ask('DELETE', object, undefined, token)).status);
  await complete(ask, path, job);
  return answers;
}

async function complete(ask: Cluster['ask'], path: string, job: Job): Promise<void> {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const conditions = (types: readonly string[]) =>
    types.map((type) => ({ type, status: 'True', lastTransitionTime: now }));
  const status = { startTime: now, completionTime: now, succeeded: 1, uncountedTerminatedPods: {} };
  const put = (types: readonly string[]) =>
    ask('PUT', `${path}/status`, { ...job, status: { ...status, conditions: conditions(types) } });
  // The first condition is asked for from 1.31 on, and refused before.
  const newer = await put(['SuccessCriteriaMet', 'Complete']);
  const { status: code, body } = newer.status === 422 ? await put(['Complete']) : newer;
  if (code !== 200) throw new Error(`the cleanup Job: expected 200, got ${code} ${JSON.stringify(body)}`);
}
