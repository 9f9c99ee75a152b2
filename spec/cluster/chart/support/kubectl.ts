import { binaryOf } from '../../../../scripts/cluster/tools.ts';
import { type Finished, runCommand } from '../../run-command.ts';
import { sharedCluster } from '../../suite.ts';

/** Runs kubectl on the suite's API server as administrator; any exit code is a value. */
export function kubectl(args: readonly string[], input = ''): Promise<Finished> {
  return runCommand(binaryOf('kubectl'), [`--kubeconfig=${sharedCluster().kubeconfigFile}`, ...args], { input });
}

/** What kubectl prints; rejects with what it complains of when it fails. */
export async function kubectlSays(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await kubectl(args);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: expected exit code 0, got ${code}: ${stderr}`);
  return stdout;
}
