import type { RunOptions } from '../../config/process/run-options.ts';
import type { KubeConnection } from '../../lib/io/kube/kube-connection.ts';
import { loadKubeConfig } from '../../lib/io/kube/load-kube-config.ts';
import { processLog } from '../../lib/io/process-log.ts';
import { type EmbeddedSandbox, startEmbeddedSandbox } from './embedded-sandbox.ts';
import { firstLines } from './first-lines.ts';
import { startController } from './start-controller.ts';

interface Terminal {
  /** Writes a line to stdout. */
  readonly print: (line: string) => void;
  /** Writes a line to stderr. */
  readonly complain: (line: string) => void;
}

/**
 * Runs the controller until SIGTERM or SIGINT; the exit code.
 *
 * 0 after an orderly end, 2 with one sentence where it cannot begin (no cluster, a port in use). A second signal ends
 * the process at once, with 1.
 */
export async function runProcess(options: RunOptions, { print, complain }: Terminal): Promise<number> {
  const ended = endAsked();
  const prints = printsLines(options);
  // Lines for a person and lines for a machine do not share a screen, unless asked to.
  const log = processLog(prints && options.logLevel === 'info' ? 'warn' : options.logLevel);
  let sandbox: EmbeddedSandbox | undefined;
  try {
    sandbox = await sandboxFor(options, prints ? print : () => {});
    const connection = sandbox?.connection ?? (await connectionFor(options));
    const running = await startController({ options, connection, log });
    if (sandbox !== undefined && prints) for (const line of firstLines({ options, sandbox, running })) print(line);
    await ended;
    await running.stop();
    return 0;
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    return 2;
  } finally {
    // Also where it could not begin: whatever is open keeps the process from ending.
    await sandbox?.close();
  }
}

function printsLines({ cluster, sandboxPrint }: RunOptions): boolean {
  const wanted = sandboxPrint === 'always' || (sandboxPrint === 'auto' && process.stdout.isTTY === true);
  return cluster.type === 'sandbox' && wanted;
}

async function sandboxFor(options: RunOptions, print: (line: string) => void): Promise<EmbeddedSandbox | undefined> {
  return options.cluster.type === 'sandbox' ? startEmbeddedSandbox({ options, print }) : undefined;
}

function connectionFor({ cluster }: RunOptions): Promise<KubeConnection> {
  return loadKubeConfig({ file: cluster.type === 'kubeconfig' ? cluster.file : undefined, env: process.env });
}

/** Resolves at the first signal to end; the second ends the process there and then. */
function endAsked(): Promise<void> {
  return new Promise((resolve) => {
    let asked = 0;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        asked += 1;
        if (asked > 1) process.exit(1);
        resolve();
      });
    }
  });
}
