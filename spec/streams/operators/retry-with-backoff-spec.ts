import { expect } from 'chai';
import { retryWithBackoff } from '../../../streams/operators/retry-with-backoff.ts';
import { marbles } from '../../support/marbles.ts';

const policy = { initialMs: 2, maxMs: 8, factor: 2, resetAfterMs: 50 };
const random = () => 1;
const quietly = { onRetry: () => {}, random };

describe('retryWithBackoff', () => {
  it(
    'waits longer after each failure',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold(' a#');
      const subs = [
        '                    ^!',
        '                    ---^!',
        '                    --------^!',
        '                    -----------------^!',
      ];
      const unsub = '        -------------------!';
      const expected = '     a--a----a--------a--';
      expectObservable(source$.pipe(retryWithBackoff(policy, quietly)), unsub).toBe(expected);
      expectSubscriptions(source$.subscriptions).toBe(subs.map((each) => each.trimStart()));
    }),
  );

  it(
    'starts over after a quiet spell',
    marbles(({ cold, expectObservable, flush }) => {
      const delays: number[] = [];
      const source$ = cold('a 60ms #');
      const onRetry = (_: unknown, delayMs: number) => delays.push(delayMs);
      expectObservable(source$.pipe(retryWithBackoff(policy, { onRetry, random })), '200ms !');
      flush();
      expect(delays).to.deep.equal([2, 2, 2]);
    }),
  );

  it(
    'hands over the error',
    marbles(({ cold, expectObservable, flush }) => {
      const errors: unknown[] = [];
      const retried$ = cold('#', {}, 'lost').pipe(
        retryWithBackoff(policy, { onRetry: (error) => errors.push(error), random }),
      );
      expectObservable(retried$, '-!');
      flush();
      expect(errors).to.deep.equal(['lost']);
    }),
  );

  it(
    'counts for each subscriber, and lets a source complete',
    marbles(({ cold, expectObservable }) => {
      const failing$ = cold('#').pipe(retryWithBackoff(policy, quietly));
      expectObservable(failing$, '5ms !').toBe('-');
      expectObservable(cold('a|').pipe(retryWithBackoff(policy, quietly))).toBe('a|');
      expectObservable(cold('-').pipe(retryWithBackoff(policy, quietly))).toBe('-');
    }),
  );

  it(
    'stops waiting when unsubscribed',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('#');
      expectObservable(source$.pipe(retryWithBackoff(policy, quietly)), '-!').toBe('-');
      expectSubscriptions(source$.subscriptions).toBe('(^!)');
    }),
  );
});
