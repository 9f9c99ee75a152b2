import { expect } from 'chai';
import { of } from 'rxjs';
import type { Role } from '../../../lib/leader/lease.ts';
import { silentLog } from '../../../lib/log.ts';
import { leadership } from '../../../streams/sources/leadership.ts';
import { marbles } from '../../support/marbles.ts';

const times = { durationMs: 60, renewDeadlineMs: 40, retryMs: 8 };
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
      expectObservable(leadership({ elector, times, log: silentLog }), '40ms !').toBe(
        's---l 15ms x 7ms l 7ms s',
        values,
      );
    }),
  );

  it(
    'lapses at the renew deadline when an attempt hangs',
    marbles(({ cold, expectObservable }) => {
      let turn = 0;
      const hung = cold<Role>('-') as unknown as Promise<Role>;
      const attempt = () => (turn++ === 0 ? (of('leading') as unknown as Promise<Role>) : hung);
      expectObservable(leadership({ elector: { attempt }, times, log: silentLog }), '160ms !').toBe('l 39ms x', values);
    }),
  );

  it(
    'stops trying when unsubscribed',
    marbles(({ expectObservable, flush }) => {
      const elector = scripted(['leading']);
      expectObservable(leadership({ elector, times, log: silentLog }), '20ms !').toBe('l', values);
      flush();
      expect(elector.turns()).to.equal(3);
    }),
  );

  it(
    'looks more often while standing by, so that a free lease is not left lying',
    marbles(({ expectObservable, flush }) => {
      const elector = scripted(['standby']);
      expectObservable(leadership({ elector, times, log: silentLog }), '17ms !').toBe('s', values);
      flush();
      expect(elector.turns()).to.equal(9);
    }),
  );

  it(
    'tries at once when it is to hurry',
    marbles(({ hot, expectObservable }) => {
      const elector = scripted(['leading', 'standby']);
      const hurry$ = hot('---h');
      expectObservable(leadership({ elector, times, hurry$, log: silentLog }), '8ms !').toBe('l--s', values);
    }),
  );

  it(
    'tries again right after the attempt under way when it is to hurry meanwhile',
    marbles(({ cold, hot, expectObservable }) => {
      let turn = 0;
      const slow = cold<Role>('----(l|)', values) as unknown as Promise<Role>;
      const attempt = () => (turn++ === 0 ? slow : (of('standby') as unknown as Promise<Role>));
      const hurry$ = hot('--h');
      expectObservable(leadership({ elector: { attempt }, times, hurry$, log: silentLog }), '8ms !').toBe(
        '----(ls)',
        values,
      );
    }),
  );
});
