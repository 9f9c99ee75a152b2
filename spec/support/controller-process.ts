import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A log line of the controller, as read. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string; readonly level: number };

/** The whole controller as its own process, watched by its log. */
export interface ControllerProcess {
  readonly child: ChildProcess;
  readonly lines: readonly LogLine[];
  /**
   * The first log line, past or future, that this is true of, so many lines skipped; rejects when the process ends
   * without it.
   */
  logged(wanted: (line: LogLine) => boolean, after?: number): Promise<LogLine>;
  /** Everything it wrote to stdout so far. */
  readonly stdout: () => string;
  /** Settles once what it wrote to stdout matches; rejects when the process ends before. */
  printed(wanted: RegExp): Promise<void>;
  /** Ends it with a signal and gives its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>;
}

/** The entry point that specs run: the source, or another file by `SPEC_CONTROLLER` (the bundle, say). */
const entry = process.env.SPEC_CONTROLLER ?? 'streams/main.ts';

/** Processes that have not ended: no spec may leave one behind, and none outlives the suite. */
const alive = new Set<ChildProcess>();
process.once('exit', () => endLeftovers());

/** Kills what specs left running; how many that were. */
export function endLeftovers(): number {
  const left = [...alive];
  for (const child of left) child.kill('SIGKILL');
  return left.length;
}

/** Starts the controller with these arguments. Nothing of the shell's KUBECONFIG reaches it. */
export function startProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  file = entry,
): ControllerProcess {
  const { KUBECONFIG: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  const lines: LogLine[] = [];
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of [...listeners]) listener();
  };
  let stdout = '';
  let over = false;
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
    tell();
  });
  createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
    lines.push(readLine(line));
    tell();
  });
  // All that it wrote has been read by then, which is not so when it exits.
  const ended = once(child, 'close').then(([code]) => {
    over = true;
    tell();
    return code as number | null;
  });

  /** Settles once there is a value, and rejects at the end of the process. */
  const until = <T>(find: () => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      const look = () => {
        const found = find();
        if (found === undefined && !over) return;
        listeners.delete(look);
        if (found === undefined) reject(new Error(endOf(lines)));
        else resolve(found);
      };
      listeners.add(look);
      look();
    });

  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null) child.kill(signal);
    return ended;
  };
  return {
    child,
    lines,
    logged: (wanted, after = 0) => until(() => lines.slice(after).find(wanted)),
    stdout: () => stdout,
    printed: async (wanted) => void (await until(() => (wanted.test(stdout) ? true : undefined))),
    stop,
    ended,
  };
}

function readLine(line: string): LogLine {
  try {
    return JSON.parse(line);
  } catch {
    return { msg: line, level: 0 };
  }
}

function endOf(lines: readonly LogLine[]): string {
  return `the controller ended; it last said:\n${lines
    .slice(-8)
    .map((line) => JSON.stringify(line))
    .join('\n')}`;
}
