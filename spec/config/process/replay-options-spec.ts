import { expect } from 'chai';
import { parseProcessOptions } from '../../../config/process-options.ts';

const parse = (argv: string, env: Readonly<Record<string, string>> = {}) =>
  parseProcessOptions({ argv: argv.split(' '), env, readFile: () => '', bare: 'sandbox' });

const plain = {
  sinkAuthorizationFile: undefined,
  sinkCaFile: undefined,
  sinkClientCertFile: undefined,
  sinkClientKeyFile: undefined,
  sinkTimeoutMs: 30_000,
};
const nothing = { ...plain, sinceMs: undefined, untilMs: undefined, type: undefined, namespace: undefined };
const usual = { ...nothing, dataDir: '/d', to: 'http://sink/', dryRun: false, remove: false };

describe('replay on the command line', () => {
  const rows: readonly { argv: string; env?: Readonly<Record<string, string>>; want: unknown }[] = [
    { argv: 'replay --data-dir /d --to http://sink/', want: usual },
    { argv: '--data-dir /d replay --to=http://sink/ --remove', want: { ...usual, remove: true } },
    { argv: 'replay --to http://sink/', env: { CONTROLLER_OPTION_DATA_DIR: '/d' }, want: usual },
    { argv: 'replay --data-dir /d --dry-run', want: { ...usual, to: undefined, dryRun: true } },
    {
      argv: 'replay --data-dir /d --to http://sink/ --type *.failed.v1 --namespace ci',
      want: { ...usual, type: '*.failed.v1', namespace: 'ci' },
    },
    {
      argv: 'replay --data-dir /d --to http://sink/ --since 1970-01-01T00:00:01Z --until 1970-01-01T00:00:02.5Z',
      want: { ...usual, sinceMs: 1000, untilMs: 2500 },
    },
    {
      argv: 'replay --data-dir /d --to http://sink/ --sink-ca-file /ca --sink-timeout 3s',
      env: { CONTROLLER_OPTION_SINK_AUTHORIZATION_FILE: '/a', CONTROLLER_OPTION_SINK_CA_FILE: '/other' },
      want: { ...usual, sinkAuthorizationFile: '/a', sinkCaFile: '/ca', sinkTimeoutMs: 3000 },
    },
  ];
  for (const { argv, env, want } of rows) {
    it(`takes ${argv}`, () => {
      expect(parse(argv, env)).to.deep.equal({ command: 'replay', options: want });
    });
  }

  const errors: readonly { argv: string; want: string }[] = [
    { argv: 'replay --to http://sink/', want: 'replay: expected --data-dir DIR, got none' },
    { argv: 'replay --data-dir /d', want: 'replay: expected --to URL or --dry-run, got neither' },
    { argv: 'replay --data-dir /d --dry-run now', want: '--dry-run: expected true | false, got "now"' },
    { argv: 'replay all --data-dir /d --dry-run', want: 'replay: expected no more arguments, got 1' },
    {
      argv: 'replay --data-dir /d --dry-run --since yesterday',
      want: '--since: expected a time such as 2026-01-31T12:00:00Z, got "yesterday"',
    },
    {
      argv: 'replay --data-dir /d --dry-run --until 2026-02-41T00:00:00Z',
      want: '--until: expected a time such as 2026-01-31T12:00:00Z, got "2026-02-41T00:00:00Z"',
    },
    {
      argv: 'replay --data-dir /d --to sink?token=secret',
      want: '--to: expected an absolute http:// or https:// URL, got a text that is no URL',
    },
    {
      argv: 'replay --data-dir /d --dry-run --sink-client-key-file /k',
      want: '--sink-client-cert-file and --sink-client-key-file: expected both or neither, got --sink-client-key-file alone',
    },
    { argv: 'replay --data-dir /d --dry-run --leader-elect false', want: '--leader-elect: replay does not take it' },
    { argv: '--dry-run', want: '--dry-run: unknown flag, --help lists all' },
  ];
  for (const { argv, want } of errors) {
    it(`refuses ${argv}`, () => {
      expect(parse(argv)).to.deep.equal({ error: want });
    });
  }
});
