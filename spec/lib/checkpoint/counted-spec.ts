import { expect } from 'chai';
import { createCheckpointBook } from '../../../lib/checkpoint/book.ts';
import type { Checkpoint, Mark } from '../../../lib/checkpoint/checkpoint.ts';
import { createCounted } from '../../../lib/checkpoint/counted.ts';

function checkpoint(marks: Readonly<Record<string, Mark>>): Checkpoint {
  return { savedMs: 1, greatestTransitionMs: 5, marks, pending: [] };
}

describe('createCounted', () => {
  const saved = checkpoint({ taskruns: { acked: '90', observed: '80' } });

  /** A process whose first term began at the saved checkpoint. */
  function someProcess() {
    const counted = createCounted();
    const book = counted.followed(createCheckpointBook(saved), saved);
    const observedIn = (marks: Readonly<Record<string, Mark>>) =>
      counted.resumed(checkpoint(marks)).marks.taskruns?.observed;
    return { counted, book, observedIn };
  }

  it('counts on from the saved mark while nothing was counted here', () => {
    expect(someProcess().counted.resumed(saved)).to.deep.equal(saved);
  });

  it('goes on after what was counted here, though no scrape has shown it', () => {
    const { book, observedIn } = someProcess();
    book.listed('taskruns', '90');
    book.reached('taskruns', '100');
    expect(observedIn(saved.marks)).to.equal('100');
    expect(observedIn({ taskruns: { acked: '120', observed: '110' } })).to.equal('110');
    expect(observedIn({ taskruns: { acked: '90', observed: undefined } })).to.equal('100');
  });

  it('remembers it over a term that ended before it had come so far again', () => {
    const { counted, book, observedIn } = someProcess();
    book.reached('taskruns', '100');
    const second = counted.followed(createCheckpointBook(saved), saved);
    second.listed('taskruns', '90');
    second.reached('taskruns', '95');
    expect(observedIn(saved.marks)).to.equal('100');
  });

  it('goes back with a server that was put back to an earlier state', () => {
    const { book, observedIn } = someProcess();
    book.reached('taskruns', '100');
    book.listed('taskruns', '50');
    expect(observedIn({ taskruns: { acked: '50', observed: '40' } })).to.equal('50');
  });

  it('goes back with a server that was put back while another term was to come', () => {
    const { counted, book, observedIn } = someProcess();
    book.reached('taskruns', '100');
    counted.putBack('70');
    expect(observedIn({ taskruns: { acked: '50', observed: '40' } })).to.equal('70');
    counted.putBack('80');
    expect(observedIn({ taskruns: { acked: '50', observed: '40' } })).to.equal('70');
  });

  it('leaves the book to say what a scrape has shown: another process begins at 0', () => {
    const { book } = someProcess();
    book.reached('taskruns', '100');
    expect(book.checkpoint(2).marks).to.deep.equal({ taskruns: { acked: '100', observed: '80' } });
    book.beginScrape()();
    expect(book.checkpoint(3).marks).to.deep.equal({ taskruns: { acked: '100', observed: '100' } });
  });
});
