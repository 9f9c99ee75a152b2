import { checkConfig } from '../../config/check-config.ts';
import { parseProcessOptions } from '../../config/process-options.ts';
import { readConfigFile } from '../../lib/io/read-config-file.ts';
import { version } from '../../lib/io/version.ts';
import { cleanup } from './cleanup.ts';
import { replayLetters } from './replay.ts';
import { runProcess } from './run-process.ts';

const print = (text: string) => void process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
const complain = (text: string) => void process.stderr.write(`${text}\n`);

/** Does what the command line asks for; the exit code. */
export async function commandLine(argv: readonly string[]): Promise<number> {
  // The bundle is for clusters, the source tree for a first look.
  const bare = import.meta.filename.endsWith('.ts') ? 'sandbox' : 'cluster';
  const asked = parseProcessOptions({ argv, env: process.env, readFile: readConfigFile, bare });
  if ('error' in asked) {
    complain(asked.error);
    return 2;
  }
  if (asked.command === 'run') return runProcess(asked.options, { print, complain });
  if (asked.command === 'cleanup') return cleanup(asked.options, { print, complain });
  if (asked.command === 'replay') return replayLetters(asked.options, { print, complain });
  if (asked.command === 'check-config') return check(asked.files, asked.profile);
  print(asked.command === 'help' ? asked.text : version);
  return 0;
}

function check(names: readonly string[], profile: Parameters<typeof checkConfig>[1]): number {
  try {
    const { lines, exitCode } = checkConfig(
      names.map((name) => ({ name, text: readConfigFile(name) })),
      profile,
    );
    print(lines.join('\n'));
    return exitCode;
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    return 1;
  }
}
