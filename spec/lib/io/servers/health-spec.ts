import { expect } from 'chai';
import { isReady, verboseText } from '../../../../lib/io/servers/health.ts';

describe('isReady', () => {
  it('wants every check ok, and minds no note', () => {
    expect(isReady({ checks: [], notes: ['a note'] })).to.equal(true);
    expect(isReady({ checks: [{ name: 'a', ok: true }], notes: [] })).to.equal(true);
    expect(
      isReady({
        checks: [
          { name: 'a', ok: true },
          { name: 'b', ok: false },
        ],
        notes: [],
      }),
    ).to.equal(false);
  });
});

describe('verboseText', () => {
  it('writes a check a line, with its reason, then the notes, then the verdict', () => {
    const checks = [
      { name: 'role', ok: true, reason: 'standby' },
      { name: 'config', ok: false, reason: 'not read\nyet' },
      { name: 'outbox', ok: false },
    ];
    expect(verboseText({ checks, notes: ['two\r\nlines'] })).to.equal(
      '[+]role ok: standby\n[-]config not read yet\n[-]outbox failed\n[!]two lines\nreadyz check failed\n',
    );
  });
});
