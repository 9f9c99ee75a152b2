import { expect } from 'chai';
import { createCheckpointBook } from '../../../lib/checkpoint/book.ts';
import type { Checkpoint } from '../../../lib/checkpoint/checkpoint.ts';
import { outgoing } from '../../support/outgoing.ts';
import { observed } from '../../support/runs.ts';

const before: Checkpoint = {
  savedMs: 1,
  greatestTransitionMs: 5,
  marks: { taskruns: { acked: '10', observed: '8' } },
  pending: [],
};

describe('createCheckpointBook', () => {
  it('goes on from the marks of the term before until its own watches have come further', () => {
    const book = createCheckpointBook(before);
    expect(book.checkpoint(7)).to.deep.equal({ ...before, savedMs: 7 });
    book.reached('taskruns', '12');
    expect(book.checkpoint(7).marks).to.deep.equal({ taskruns: { acked: '12', observed: '8' } });
  });

  it('lists what was unacknowledged before until that was read back, and then what of it is owed again', () => {
    const [kept, lost] = ['3.0', '4.0'].map((sequence) => outgoing({ resourceVersion: '3', sequence }));
    if (kept === undefined || lost === undefined) throw new Error('two were made');
    const first = createCheckpointBook(undefined);
    first.owes('taskruns', [kept, lost]);
    const saved = first.checkpoint(1);
    const book = createCheckpointBook(saved);
    expect(book.checkpoint(2).pending).to.deep.equal(saved.pending);
    book.owes('taskruns', [kept]);
    book.resumed();
    expect(book.checkpoint(3).pending).to.deep.equal(saved.pending.slice(0, 1));
  });

  it('keeps beside the mark what is owed, until it is settled', () => {
    const book = createCheckpointBook(undefined);
    const event = outgoing({ resourceVersion: '3', sequence: '3.0' });
    book.owes('taskruns', [event]);
    book.reached('taskruns', '3');
    const { id, kind, namespace, name, uid, resourceVersion, sequence, word } = event;
    expect(book.checkpoint(7)).to.deep.include({
      marks: { taskruns: { acked: '3', observed: undefined } },
      pending: [{ id, kind, namespace, name, uid, resourceVersion, sequence, word }],
    });
    book.settled(event);
    expect(book.checkpoint(7).pending).to.deep.equal([]);
  });

  it('tells two events of one step apart', () => {
    const book = createCheckpointBook(undefined);
    const [first, second] = ['3.0', '3.1'].map((sequence) => outgoing({ resourceVersion: '3', sequence }));
    if (first === undefined || second === undefined) throw new Error('two were made');
    book.owes('taskruns', [first, second]);
    book.settled(first);
    expect(book.checkpoint(7).pending.map(({ sequence }) => sequence)).to.deep.equal(['3.1']);
  });

  it('takes as counted only what had been observed when a completed scrape began', () => {
    const book = createCheckpointBook(undefined);
    book.reached('taskruns', '3');
    const done = book.beginScrape();
    const brokenOff = book.beginScrape();
    book.reached('taskruns', '4');
    expect(book.checkpoint(7).marks.taskruns?.observed).to.equal(undefined);
    done();
    expect(book.checkpoint(7).marks.taskruns?.observed).to.equal('3');
    expect(brokenOff).to.be.a('function');
  });

  it('remembers the greatest transition time of the runs observed', () => {
    const book = createCheckpointBook(before);
    book.observed(observed({}).run);
    book.observed(observed({ condition: 'True/Succeeded/', at: '2026-01-01T00:00:10Z' }).run);
    book.observed(observed({ condition: 'True/Succeeded/', at: '2026-01-01T00:00:05Z' }).run);
    expect(book.checkpoint(7).greatestTransitionMs).to.equal(Date.parse('2026-01-01T00:00:10Z'));
  });

  it('does not mind an event that it never owed', () => {
    const book = createCheckpointBook(undefined);
    book.settled(outgoing({}));
    expect(book.checkpoint(7)).to.deep.equal({ savedMs: 7, greatestTransitionMs: 0, marks: {}, pending: [] });
  });
});
