import { type ControllerProcess, startProcess } from '../../../support/controller-process.ts';
import type { Cluster } from '../../cluster.ts';
import { sharedCluster } from '../../suite.ts';

/** The controller of a release, run by us as its pod would run it, and where it listens. */
export interface InstalledController {
  readonly controller: ControllerProcess;
  readonly metricsUrl: string;
  readonly healthUrl: string;
  readonly profilingUrl: string;
}

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

const name = 'svc-pipelines-controller';
const ports = ['metrics', 'health', 'profiling'] as const;

/**
 * Starts what the Deployment of a namespace says, with its arguments, its environment and a token of its service
 * account; settles when it is in sync. The ports alone are others: free ones.
 */
export async function startInstalled(
  namespace: string,
  { ask, tokenFor, kubeconfigFor }: Cluster = sharedCluster(),
): Promise<InstalledController> {
  const { body } = await ask('GET', `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`);
  const { serviceAccountName, containers } = podIn(body);
  const [{ args = [], env = [] } = {}] = containers;
  const kubeconfigFile = kubeconfigFor(await tokenFor({ namespace, name: serviceAccountName }));
  // What the kubelet would fill in.
  const pod = { POD_NAME: 'spec-0', POD_NAMESPACE: namespace };
  const given = Object.fromEntries(env.map(({ name: key, value = pod[key as keyof typeof pod] }) => [key, value]));
  const kept = args.filter((arg) => !/^--\w+-port=/.test(arg));
  const argv = [...kept, ...ports.map((port) => `--${port}-port=0`), `--kubeconfig=${kubeconfigFile}`];
  const controller = startProcess(argv, given);
  const { metricsPort, healthPort, profilingPort } = await controller.logged(({ msg }) => msg === 'listening');
  await controller.logged(({ msg }) => msg === 'synced');
  const url = (port: unknown) => `http://127.0.0.1:${port}`;
  return {
    controller,
    metricsUrl: `${url(metricsPort)}/metrics`,
    healthUrl: url(healthPort),
    profilingUrl: url(profilingPort),
  };
}

function podIn(deployment: unknown) {
  const { spec } = deployment as {
    readonly spec: {
      readonly template: {
        readonly spec: { readonly serviceAccountName: string; readonly containers: readonly Container[] };
      };
    };
  };
  return spec.template.spec;
}
