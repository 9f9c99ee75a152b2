import { expect } from 'chai';
import { asyncScheduler, map, type ObservableInput, timer } from 'rxjs';
import { switchTwoPhase } from '../../../streams/operators/switch-two-phase.ts';
import { marbles } from '../../support/marbles.ts';

/** What happened and when, in virtual milliseconds: `12 build b`. */
function recorder({ buildMs = 2, stopMs = 3 } = {}) {
  const seen: string[] = [];
  const say = (words: string) => seen.push(`${asyncScheduler.now()} ${words}`);
  return {
    seen,
    options: {
      debounceMs: 5,
      build: (settings: string): ObservableInput<string> => {
        say(`build ${settings}`);
        if (settings === 'x') throw new Error('no such file');
        return timer(buildMs).pipe(map(() => settings.toUpperCase()));
      },
      stop: (current: string): ObservableInput<unknown> => {
        say(`stop ${current}`);
        return timer(stopMs).pipe(map(() => say(`stopped ${current}`)));
      },
      onRefused: (error: unknown, settings: string) => say(`refused ${settings}: ${(error as Error).message}`),
      onStopFailed: (error: unknown) => say(`stop failed: ${(error as Error).message}`),
    },
  };
}

const values = { A: 'A', B: 'B', C: 'C', D: 'D' };

describe('switchTwoPhase', () => {
  it(
    'builds the new one before it stops the old one',
    marbles(({ hot, expectObservable, flush }) => {
      const { seen, options } = recorder();
      const settings$ = hot('    a---------b----------');
      const expected = '         -------A---------B---';
      expectObservable(settings$.pipe(switchTwoPhase(options)), '21ms !').toBe(expected, values);
      flush();
      expect(seen.slice(0, 4)).to.deep.equal(['5 build a', '15 build b', '17 stop A', '20 stopped A']);
    }),
  );

  it(
    'takes a burst of edits as its last',
    marbles(({ hot, expectObservable, flush }) => {
      const { seen, options } = recorder();
      const settings$ = hot('    a-b-c----------------');
      const expected = '         -----------C---------';
      expectObservable(settings$.pipe(switchTwoPhase(options)), '15ms !').toBe(expected, values);
      flush();
      expect(seen[0]).to.equal('9 build c');
    }),
  );

  it(
    'takes edits that never stop up now and then',
    marbles(({ hot, expectObservable }) => {
      const { options } = recorder();
      const settings$ = hot('    a---b---c---d---');
      const expected = '         ------------C------D';
      const pace = { ...options, maxWaitMs: 10 };
      expectObservable(settings$.pipe(switchTwoPhase(pace)), '22ms !').toBe(expected, values);
    }),
  );

  it(
    'builds the next while a slow flush is under way',
    marbles(({ hot, expectObservable, flush }) => {
      const { seen, options } = recorder({ stopMs: 40 });
      const settings$ = hot('a 9ms b 9ms c');
      expectObservable(settings$.pipe(switchTwoPhase(options)), '30ms !').toBe('7ms A 9ms B 9ms C', values);
      flush();
      expect(seen.slice(0, 5)).to.deep.equal(['5 build a', '15 build b', '17 stop A', '25 build c', '27 stop B']);
    }),
  );

  it(
    'waits when too many slow flushes are under way, and then takes up the latest settings only',
    marbles(({ hot, expectObservable, flush }) => {
      const { seen, options } = recorder({ stopMs: 40 });
      const settings$ = hot('a 9ms b 9ms c 9ms d 60ms -');
      const expected = '     7ms A 9ms B 41ms D';
      const one = { ...options, maxStopping: 1 };
      expectObservable(settings$.pipe(switchTwoPhase(one)), '70ms !').toBe(expected, values);
      flush();
      expect(seen.slice(0, 6)).to.deep.equal([
        '5 build a',
        '15 build b',
        '17 stop A',
        '57 stopped A',
        '57 build d',
        '59 stop B',
      ]);
    }),
  );

  it(
    'keeps the old one when the new one cannot be built, and goes on',
    marbles(({ hot, expectObservable, flush }) => {
      const { seen, options } = recorder();
      const settings$ = hot('    a---------x---------b------');
      const expected = '         -------A-------------------B';
      expectObservable(settings$.pipe(switchTwoPhase(options)), '28ms !').toBe(expected, values);
      flush();
      expect(seen.slice(1, 5)).to.deep.equal(['15 build x', '15 refused x: no such file', '25 build b', '27 stop A']);
    }),
  );

  it(
    'refuses settings whose building fails later',
    marbles(({ hot, cold, expectObservable, flush }) => {
      const { seen, options } = recorder();
      const build = () => cold<string>('--#', {}, new Error('bad key'));
      expectObservable(hot('a').pipe(switchTwoPhase({ ...options, build })), '20ms !').toBe('');
      flush();
      expect(seen).to.deep.equal(['7 refused a: bad key']);
    }),
  );

  it(
    'counts one that cannot be stopped as stopped',
    marbles(({ hot, cold, expectObservable, flush }) => {
      const { seen, options } = recorder();
      const stop = () => cold('-#', {}, new Error('stuck'));
      const settings$ = hot('    a---------b---------c-------');
      const expected = '         -------A---------B---------C';
      expectObservable(settings$.pipe(switchTwoPhase({ ...options, stop })), '28ms !').toBe(expected, values);
      flush();
      expect(seen).to.include('18 stop failed: stuck');
    }),
  );

  it(
    'stops what is there when unsubscribed',
    marbles(({ hot, expectObservable, flush }) => {
      const { seen, options } = recorder();
      expectObservable(hot('a----').pipe(switchTwoPhase(options)), '10ms !').toBe('7ms A', values);
      flush();
      expect(seen).to.deep.equal(['5 build a', '10 stop A', '13 stopped A']);
    }),
  );

  it(
    'stops what was still being built when unsubscribed, and builds nothing more',
    marbles(({ hot, expectObservable, flush }) => {
      const { seen, options } = recorder({ buildMs: 10 });
      expectObservable(hot('a-----b').pipe(switchTwoPhase(options)), '12ms !').toBe('');
      flush();
      expect(seen).to.deep.equal(['5 build a', '15 stop A', '18 stopped A']);
    }),
  );

  for (const { title, source, want } of [
    { title: 'completes', source: 'a 9ms |', want: '7ms A 5ms |' },
    { title: 'passes an error on', source: 'a 9ms #', want: '7ms A 5ms #' },
    {
      title: 'takes up settings that wait when its source ends, and then completes',
      source: '(a|)',
      want: '2ms A 2ms |',
    },
  ]) {
    it(
      `${title} once the last one is stopped`,
      marbles(({ hot, cold, expectObservable, flush }) => {
        const { seen, options } = recorder();
        const source$ = source.startsWith('(') ? cold(source) : hot(source);
        expectObservable(source$.pipe(switchTwoPhase(options))).toBe(want, values);
        flush();
        expect(seen.at(-1)).to.match(/stopped A$/);
      }),
    );
  }

  it(
    'completes only when every slow flush is over',
    marbles(({ hot, expectObservable }) => {
      const { options } = recorder({ stopMs: 40 });
      expectObservable(hot('a 9ms b 9ms |').pipe(switchTwoPhase(options))).toBe('7ms A 9ms B 42ms |', values);
    }),
  );

  it(
    'completes at once when nothing was ever built',
    marbles(({ hot, expectObservable }) => {
      expectObservable(hot('--|').pipe(switchTwoPhase(recorder().options))).toBe('--|');
    }),
  );
});
