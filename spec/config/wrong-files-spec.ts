import { expect } from 'chai';
import { parseProcessOptions } from '../../config/process-options.ts';

/** What the options with these flags come to: their error, or that they run. */
function outcomeOf(...argv: readonly string[]): string {
  const asked = parseProcessOptions({ argv, env: {}, readFile: () => '', bare: 'sandbox' });
  return 'error' in asked ? asked.error : asked.command;
}

const cases: readonly { argv: readonly string[]; want: string }[] = [
  { argv: ['--sink-ca-file=/a', '--sink-authorization-file=/b'], want: 'run' },
  { argv: ['--sink-client-cert-file=/a', '--sink-client-key-file=/b'], want: 'run' },
  {
    argv: ['--sink-client-cert-file=/a'],
    want: '--sink-client-cert-file and --sink-client-key-file: expected both or neither, got --sink-client-cert-file alone',
  },
  {
    argv: ['--sink-client-key-file=/a'],
    want: '--sink-client-cert-file and --sink-client-key-file: expected both or neither, got --sink-client-key-file alone',
  },
  { argv: ['--metrics-secure'], want: 'run' },
  { argv: ['--metrics-secure', '--metrics-cert-file=/a', '--metrics-key-file=/b'], want: 'run' },
  {
    argv: ['--metrics-secure', '--metrics-key-file=/b'],
    want: '--metrics-cert-file and --metrics-key-file: expected both or neither, got --metrics-key-file alone',
  },
  {
    argv: ['--metrics-cert-file=/a', '--metrics-key-file=/b'],
    want: '--metrics-cert-file: expected --metrics-secure true beside it, got false',
  },
];

describe('files that belong together', () => {
  for (const { argv, want } of cases) {
    it(`${argv.join(' ')}: ${want}`, () => {
      expect(outcomeOf(...argv)).to.equal(want);
    });
  }
});
