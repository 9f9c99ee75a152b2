import { expect } from 'chai';
import fc from 'fast-check';
import { type Checkpoint, checkpointText, readCheckpoint } from '../../../lib/checkpoint/checkpoint.ts';

const whole: Checkpoint = {
  savedMs: 1_000,
  greatestTransitionMs: 900,
  marks: { taskruns: { acked: '12', observed: '10' }, 'pipelineruns/ci': { acked: undefined, observed: undefined } },
  pending: [
    {
      id: 'i',
      kind: 'TaskRun',
      namespace: 'ci',
      name: 'build',
      uid: 'u',
      resourceVersion: '3',
      sequence: '3.0',
      word: 'failed',
    },
  ],
};

describe('readCheckpoint', () => {
  it('reads back what checkpointText wrote', () => {
    expect(readCheckpoint(checkpointText(whole))).to.deep.equal(whole);
  });

  for (const none of [undefined, '', '{', 'null', '[]', '{"format":2,"savedMs":1}', '{"format":1}']) {
    it(`takes ${none} for no checkpoint`, () => {
      expect(readCheckpoint(none)).to.equal(undefined);
    });
  }

  it('leaves out what is no mark and no pending event', () => {
    const [event] = whole.pending;
    const odd = {
      format: 1,
      savedMs: 1,
      marks: { taskruns: { acked: 'x', observed: 5 }, b: 7 },
      pending: [null, { ...event, kind: 'Pod' }, { ...event, uid: '' }, { ...event, word: 'done' }, event],
    };
    const unmarked = { acked: undefined, observed: undefined };
    expect(readCheckpoint(JSON.stringify(odd))).to.deep.equal({
      savedMs: 1,
      greatestTransitionMs: 0,
      marks: { taskruns: unmarked, b: unmarked },
      pending: [event],
    });
    expect(readCheckpoint('{"format":1,"savedMs":1,"marks":null,"pending":3}')).to.deep.include({
      marks: {},
      pending: [],
    });
  });

  it('never throws, whatever the annotation holds', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (annotation) => void readCheckpoint(annotation)));
  });
});
