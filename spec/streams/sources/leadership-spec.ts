import { expect } from 'chai';
import { of } from 'rxjs';
import type { Role } from '../../../lib/leader/lease.ts';
import { silentLog } from '../../../lib/log.ts';
import { leadership } from '../../../streams/sources/leadership.ts';
import { marbles } from '../../support/marbles.ts';

const times = { durationMs: 15, renewDeadlineMs: 10, retryMs: 2 };
const values = { l: 'leading', x: 'lapsed', s: 'standby' } as const;

/** An elector whose attempts give these roles, one after the other and then the last for ever. */
function scripted(roles: readonly Role[]) {
  let turn = 0;
  // A value that comes at once, so that virtual time sees it: exhaustMap takes anything that of() takes.
  const attempt = () => of(roles[Math.min(turn++, roles.length - 1)] ?? 'standby') as unknown as Promise<Role>;
  return { attempt, turns: () => turn };
}

describe('leadership', () => {
  it(
    'says each change once',
    marbles(({ expectObservable }) => {
      const elector = scripted(['standby', 'standby', 'leading', 'leading', 'lapsed', 'leading', 'standby']);
      expectObservable(leadership({ elector, times, log: silentLog }), '14ms !').toBe('s---l---x-l-s', values);
    }),
  );

  it(
    'lapses at the renew deadline when an attempt hangs',
    marbles(({ cold, expectObservable }) => {
      let turn = 0;
      const hung = cold<Role>('-') as unknown as Promise<Role>;
      const attempt = () => (turn++ === 0 ? (of('leading') as unknown as Promise<Role>) : hung);
      expectObservable(leadership({ elector: { attempt }, times, log: silentLog }), '40ms !').toBe(
        'l---------x',
        values,
      );
    }),
  );

  it(
    'stops trying when unsubscribed',
    marbles(({ expectObservable, flush }) => {
      const elector = scripted(['leading']);
      expectObservable(leadership({ elector, times, log: silentLog }), '5ms !').toBe('l', values);
      flush();
      expect(elector.turns()).to.equal(3);
    }),
  );
});
