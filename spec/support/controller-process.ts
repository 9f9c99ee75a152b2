import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A log line of the controller, as read. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string; readonly level: number };

/** The whole controller as its own process, watched by its log. */
export interface ControllerProcess {
  readonly child: ChildProcess;
  readonly lines: readonly LogLine[];
  /** The first log line, past or future, that this is true of; rejects when the process ends without it. */
  logged(wanted: (line: LogLine) => boolean): Promise<LogLine>;
  /** Everything it wrote to stdout so far. */
  readonly stdout: () => string;
  /** Ends it with a signal and gives its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>;
}

/** The entry point that specs run: the source, or another file by `SPEC_CONTROLLER` (the bundle, say). */
const entry = process.env.SPEC_CONTROLLER ?? 'streams/main.ts';

/** Starts the controller with these arguments. Nothing of the shell's KUBECONFIG reaches it. */
export function startProcess(args: readonly string[], env: Readonly<Record<string, string>> = {}): ControllerProcess {
  const { KUBECONFIG: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [entry, ...args], {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: LogLine[] = [];
  const listeners = new Set<() => void>();
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
    lines.push(readLine(line));
    for (const listener of [...listeners]) listener();
  });
  const ended = once(child, 'close').then(([code]) => {
    for (const listener of [...listeners]) listener();
    return code as number | null;
  });

  const logged = (wanted: (line: LogLine) => boolean) =>
    new Promise<LogLine>((resolve, reject) => {
      const look = () => {
        const found = lines.find(wanted);
        if (found !== undefined) settle(() => resolve(found));
        else if (child.exitCode !== null || child.signalCode !== null) settle(() => reject(new Error(endOf(lines))));
      };
      const settle = (tell: () => void) => {
        listeners.delete(look);
        tell();
      };
      listeners.add(look);
      look();
    });

  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null) child.kill(signal);
    return ended;
  };
  return { child, lines, logged, stdout: () => stdout, stop, ended };
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
