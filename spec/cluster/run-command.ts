import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** Standard input; empty by default. */
  readonly input?: string;
  /** Added to our environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end; any exit code is a value. Rejects only when there is no such program. */
export async function runCommand(
  file: string,
  args: readonly string[],
  { input = '', env = {} }: CommandOptions = {},
): Promise<Finished> {
  const child = spawn(file, args, { env: { ...process.env, ...env } });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', (cause) => reject(new Error(`expected to run ${file}, got ${cause.message}`, { cause })));
  });
  // A program that ends without reading its input is no error: its exit code tells.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
