import { expect } from 'chai';
import { asyncScheduler, NEVER, of } from 'rxjs';
import { againOnChange } from '../../../streams/operators/again-on-change.ts';
import { marbles } from '../../support/marbles.ts';

describe('againOnChange', () => {
  /** Stamps by the virtual time that they are looked at. */
  const stamps = (by: Readonly<Record<number, string | undefined>>, now: () => number) => () => {
    const times = Object.keys(by).map(Number);
    return by[times.filter((time) => time <= now()).at(-1) ?? 0];
  };

  it(
    'says a value again when its stamp has changed, and once only',
    marbles(({ hot, expectObservable }) => {
      const source$ = hot('  a---------------|');
      const expected = '     a-----a-----a---|';
      const stampOf = stamps({ 0: 'none', 5: 'first', 11: 'second' }, () => asyncScheduler.now());
      expectObservable(source$.pipe(againOnChange({ stampOf, everyMs: 2 }))).toBe(expected);
    }),
  );

  it(
    'looks at the latest value only',
    marbles(({ hot, expectObservable }) => {
      const source$ = hot('  a--b----------|');
      const expected = '     a--b----b-----|';
      const seen = stamps({ 0: 'old', 7: 'new' }, () => asyncScheduler.now());
      const stampOf = (value: string) => `${value} ${seen()}`;
      // Looked at 5 and 10 ms after it: the new stamp of 7 is seen at 8.
      expectObservable(source$.pipe(againOnChange({ stampOf, everyMs: 5 }))).toBe(expected);
    }),
  );

  it(
    'leaves a value without a stamp alone',
    marbles(({ hot, expectObservable }) => {
      const source$ = hot('  a---------|');
      const expected = '     a---------|';
      expectObservable(source$.pipe(againOnChange({ stampOf: () => undefined, everyMs: 2 }))).toBe(expected);
    }),
  );

  it(
    'fails with the source, and stops looking',
    marbles(({ hot, expectObservable }) => {
      const source$ = hot('  a---#');
      const expected = '     a-a-#';
      const stampOf = () => String(asyncScheduler.now());
      expectObservable(source$.pipe(againOnChange({ stampOf, everyMs: 2 }))).toBe(expected);
    }),
  );

  it('takes the stamp before the value is used', () => {
    const said: string[] = [];
    const stampOf = (value: string) => `${said.push(`stamp ${value}`)}`;
    of('a')
      .pipe(againOnChange({ stampOf, everyMs: 1000 }))
      .subscribe((value) => said.push(`use ${value}`));
    expect(said).to.deep.equal(['stamp a', 'use a']);
  });

  it(
    'looks no more once nobody listens',
    marbles(({ hot, expectObservable }) => {
      const stampOf = () => String(asyncScheduler.now());
      const source$ = hot('  a---------');
      expectObservable(source$.pipe(againOnChange({ stampOf, everyMs: 2 })), '---!').toBe('a-a');
      expectObservable(NEVER.pipe(againOnChange({ stampOf, everyMs: 2 })), '---!').toBe('---');
    }),
  );
});
