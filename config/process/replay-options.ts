import { instant } from '../formats/instant.ts';
import { orUnset } from '../formats/or-unset.ts';
import { problemOf } from '../formats/problem-of.ts';
import { sinkUrl } from '../formats/sink-url.ts';
import { text } from '../formats/text.ts';
import { truth } from '../formats/truth.ts';
import { type FieldRow, fieldRows, type Rows } from '../row.ts';
import { settle } from '../settle.ts';
import { envName } from './env-name.ts';
import { optionRows } from './option-rows.ts';
import type { OptionValues } from './run-options.ts';
import { wrongFiles } from './wrong-files.ts';

/** How the sink is reached, as the controller itself is told. */
type SinkField = 'sinkAuthorizationFile' | 'sinkCaFile' | 'sinkClientCertFile' | 'sinkClientKeyFile' | 'sinkTimeoutMs';

/** What `replay` is asked for. */
interface ReplayValues extends Pick<OptionValues, SinkField> {
  readonly dataDir: string | undefined;
  readonly to: string | undefined;
  /** On the event's time, ms since the epoch; both ends included. */
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  readonly type: string | undefined;
  readonly namespace: string | undefined;
  /** Shows what would be sent. */
  readonly dryRun: boolean;
  /** What was taken leaves the dead letters. */
  readonly remove: boolean;
}

/** What `replay` does: a place to read, and, but for a dry run, one to send to. */
export interface ReplayOptions extends ReplayValues {
  readonly dataDir: string;
}

type OwnValues = Omit<ReplayValues, SinkField>;

/** The flags that only `replay` has, and the data dir's. */
export const replayRows: Rows<OwnValues> = {
  dataDir: optionRows.dataDir,
  to: {
    key: 'to',
    format: orUnset(sinkUrl),
    default: '',
    doc: 'Where the events are posted. Needed but for a dry run.',
    example: 'http://broker.example.com/events',
  },
  sinceMs: {
    key: 'since',
    format: orUnset(instant),
    default: '',
    doc: 'Only events of this time or later.',
    example: '2026-01-31T12:00:00Z',
  },
  untilMs: {
    key: 'until',
    format: orUnset(instant),
    default: '',
    doc: 'Only events of this time or earlier.',
    example: '2026-01-31T13:00:00Z',
  },
  type: {
    key: 'type',
    format: orUnset(text('an event type, * for any text', /^[A-Za-z0-9.*-]+$/)),
    default: '',
    doc: 'Only events of this type.',
    example: '*.taskrun.failed.v1',
  },
  namespace: {
    key: 'namespace',
    format: orUnset(text('a namespace name', /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)),
    default: '',
    doc: 'Only events of runs in this namespace.',
    example: 'team-a',
  },
  dryRun: {
    key: 'dry-run',
    format: truth,
    default: 'false',
    doc: 'Prints what would be sent, and sends nothing.',
    example: 'true',
  },
  remove: {
    key: 'remove',
    format: truth,
    default: 'false',
    doc: 'Takes events that the sink took out of the dead letters.',
    example: 'true',
  },
};

const { sinkAuthorizationFile, sinkCaFile, sinkClientCertFile, sinkClientKeyFile, sinkTimeoutMs } = optionRows;
const sinkRows = { sinkAuthorizationFile, sinkCaFile, sinkClientCertFile, sinkClientKeyFile, sinkTimeoutMs };
const allRows: Rows<ReplayValues> = { ...replayRows, ...sinkRows };
const rows = fieldRows(allRows);
/** What the controller's environment says as well. */
const shared = [optionRows.dataDir, ...Object.values(sinkRows)].map(({ key }) => key);

/** What the flags ask of `replay`, or one sentence about everything that is wrong with them. */
export function replayOptions(
  flags: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): ReplayOptions | { readonly error: string } {
  const given: Record<string, string> = { ...fromEnv(env), ...flags };
  const reads = rows.map((row) => ({ row, text: given[row.key] }));
  const problems = reads.flatMap((read) => problemsOf(read));
  const strays = Object.keys(flags).filter((key) => !rows.some((row) => row.key === key));
  problems.push(...strays.map((key) => `--${key}: replay does not take it`));
  if (problems.length > 0) return { error: problems.join('; ') };
  const values = reads.flatMap(({ row, text }) => {
    const read = text === undefined ? undefined : row.format.parse(text);
    return read === undefined ? [] : [[row.field, read.value] as const];
  });
  return whole(settle<ReplayValues>(allRows, Object.fromEntries(values)));
}

function fromEnv(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const found = shared.map((key) => [key, env[envName(key)] ?? ''] as const);
  return Object.fromEntries(found.filter(([, text]) => text !== ''));
}

function problemsOf({ row, text }: { readonly row: FieldRow; readonly text: string | undefined }): string[] {
  if (text === undefined || row.format.parse(text) !== undefined) return [];
  return [problemOf(`--${row.key}`, row.format, text)];
}

function whole(values: ReplayValues): ReplayOptions | { readonly error: string } {
  const { dataDir, to, dryRun } = values;
  if (dataDir === undefined) return { error: 'replay: expected --data-dir DIR, got none' };
  if (to === undefined && !dryRun) return { error: 'replay: expected --to URL or --dry-run, got neither' };
  const wrong = wrongFiles({ ...values, metricsSecure: false, metricsCertFile: undefined, metricsKeyFile: undefined });
  return wrong === undefined ? { ...values, dataDir } : { error: wrong };
}
