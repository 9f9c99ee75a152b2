import { expect } from 'chai';
import { Subject } from 'rxjs';
import { holdUntil } from '../../../streams/operators/hold-until.ts';

describe('holdUntil', () => {
  let open: boolean;
  let value$: Subject<string>;
  let retry$: Subject<unknown>;
  let seen: string[];

  const follow = (limit = 10) => {
    const note = (what: string) => () => void seen.push(what);
    return value$.pipe(holdUntil({ mayPass: () => open, retry$, limit })).subscribe({
      next: (value) => seen.push(value),
      error: ({ message }) => seen.push(message),
      complete: note('|'),
    });
  };

  beforeEach(() => {
    [open, seen, value$, retry$] = [true, [], new Subject(), new Subject()];
  });

  it('lets values through while they may pass', () => {
    follow();
    value$.next('a');
    value$.next('b');
    value$.complete();
    expect(seen).to.deep.equal(['a', 'b', '|']);
  });

  it('asks at each value, and holds what may not pass until it is asked again', () => {
    follow();
    value$.next('a');
    open = false;
    value$.next('b');
    value$.next('c');
    retry$.next(1);
    expect(seen).to.deep.equal(['a']);
    open = true;
    expect(seen).to.deep.equal(['a']);
    retry$.next(2);
    expect(seen).to.deep.equal(['a', 'b', 'c']);
  });

  it('lets nothing overtake what is held', () => {
    follow();
    open = false;
    value$.next('a');
    open = true;
    value$.next('b');
    expect(seen).to.deep.equal([]);
    retry$.next(1);
    expect(seen).to.deep.equal(['a', 'b']);
  });

  it('stops letting go in the middle when leave is taken away', () => {
    value$.subscribe(() => {});
    follow();
    open = false;
    for (const value of ['a', 'b', 'c']) value$.next(value);
    open = true;
    const closing = retry$.subscribe(() => {});
    const last = seen.push.bind(seen);
    seen.push = (...values) => {
      open = false;
      return last(...values);
    };
    retry$.next(1);
    closing.unsubscribe();
    expect(seen).to.deep.equal(['a']);
    open = true;
    retry$.next(2);
    expect(seen).to.deep.equal(['a', 'b']);
  });

  it('errors when more wait than may', () => {
    follow(2);
    open = false;
    for (const value of ['a', 'b', 'c']) value$.next(value);
    expect(seen).to.deep.equal(['more than 2 values wait for leave to pass']);
    expect([value$.observed, retry$.observed]).to.deep.equal([false, false]);
  });

  it('passes an error at once, and lets go what may pass before it completes', () => {
    follow();
    open = false;
    value$.next('a');
    open = true;
    value$.complete();
    expect(seen).to.deep.equal(['a', '|']);
    [seen, value$] = [[], new Subject()];
    follow();
    value$.error(new Error('lost'));
    expect(seen).to.deep.equal(['lost']);
  });

  it('unsubscribes from both', () => {
    follow().unsubscribe();
    expect([value$.observed, retry$.observed]).to.deep.equal([false, false]);
  });
});
