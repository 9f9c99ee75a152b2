import { nearestName } from '../nearest-name.ts';

/** An argument list taken apart: flags by name, the last of equal ones counts; the rest in order. */
type Argv =
  | { readonly flags: Readonly<Record<string, string>>; readonly words: readonly string[] }
  | { readonly error: string };

interface Known {
  /** Flags that take a value: `--name value` or `--name=value`. */
  readonly valued: ReadonlySet<string>;
  /** Flags that may take a value and alone mean true. */
  readonly bare: ReadonlySet<string>;
  /** Words that are never the value of a bare flag. */
  readonly commands: ReadonlySet<string>;
}

/** Takes the arguments apart, or says in one sentence what is wrong with the first wrong one. */
export function readArgv(argv: readonly string[], known: Known): Argv {
  const flags: Record<string, string> = {};
  const words: string[] = [];
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (!argument.startsWith('-')) {
      words.push(argument);
      continue;
    }
    const [, name = '', joined] = /^--([^=]*)(?:=(.*))?$/s.exec(argument) ?? [];
    if (!known.valued.has(name) && !known.bare.has(name)) return { error: unknownFlag(argument, known) };
    const given = joined ?? (takesNext(name, rest[0], known) ? rest.shift() : undefined);
    if (given === undefined && known.valued.has(name)) return { error: `--${name}: expected a value, got nothing` };
    flags[name] = given ?? 'true';
  }
  return { flags, words };
}

function takesNext(name: string, next: string | undefined, { bare, commands }: Known): boolean {
  if (next === undefined || next.startsWith('--')) return false;
  return !bare.has(name) || !commands.has(next);
}

/** The value of an unknown flag stays unsaid: it may be a secret. */
function unknownFlag(argument: string, { valued, bare }: Known): string {
  const [flag = ''] = argument.split('=');
  const near = nearestName(flag.replace(/^-+/, ''), [...valued, ...bare]);
  return near ? `${flag}: unknown flag, did you mean --${near}?` : `${flag}: unknown flag, --help lists all`;
}
