import { parseAllDocuments } from 'yaml';
import { chartDir } from '../../../../scripts/chart/generated.ts';
import { releaseOf } from '../../../../scripts/cluster/kubernetes.ts';
import { binaryOf } from '../../../../scripts/cluster/tools.ts';
import { type Finished, runCommand } from '../../run-command.ts';
import { sharedCluster } from '../../suite.ts';

/** An object of Kubernetes as far as these specs look inside. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** Values of the chart, as a values file has them. */
export type Values = Readonly<Record<string, unknown>>;

export const releaseNamespace = 'svc-pipelines';

/** Runs helm against the suite's API server; any exit code is a value. */
export function helm(args: readonly string[], values: Values = {}): Promise<Finished> {
  // The values go in by standard input: a file would have to be cleaned up.
  const input = JSON.stringify(values);
  const { kubeconfigFile, dir } = sharedCluster();
  return runCommand(binaryOf('helm'), [...args, `--kubeconfig=${kubeconfigFile}`], {
    input,
    env: { HELM_CACHE_HOME: `${dir}/helm`, HELM_CONFIG_HOME: `${dir}/helm`, HELM_DATA_HOME: `${dir}/helm` },
  });
}

/** As `helm`, but an exit code other than 0 rejects with what it said. */
export async function helmDone(args: readonly string[], values: Values = {}): Promise<string> {
  const { code, stdout, stderr } = await helm(args, values);
  if (code !== 0) throw new Error(`helm ${args.join(' ')}: expected exit code 0, got ${code}: ${stderr}`);
  return stdout;
}

export const valuesFromInput = ['--values', '-'];

/** What the chart renders without a cluster; rejects with helm's sentence when it refuses the values. */
export async function renderText(values: Values = {}, namespace = releaseNamespace): Promise<string> {
  const args = ['template', 'spec', chartDir, '--namespace', namespace, '--kube-version', `${releaseOf().minor}.0`];
  return helmDone([...args, ...valuesFromInput], values);
}

export async function render(values: Values = {}, namespace = releaseNamespace): Promise<readonly Manifest[]> {
  return manifests(await renderText(values, namespace));
}

/** The objects of a text of YAML documents; empty documents are left out. */
function manifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text, { uniqueKeys: true }).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const object: Manifest | null = document.toJS();
    return object === null ? [] : [object];
  });
}

/** The one object of that kind whose name ends so. */
export function only(objects: readonly Manifest[], kind: string, end = ''): Manifest {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name.endsWith(end));
  const [object] = found;
  if (object === undefined || found.length > 1) throw new Error(`${kind} ${end}: expected one, got ${found.length}`);
  return object;
}
