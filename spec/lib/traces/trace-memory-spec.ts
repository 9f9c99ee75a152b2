import { expect } from 'chai';
import { createTraceMemory } from '../../../lib/traces/trace-memory.ts';

const event = (name: string) => ({ name, timeMs: 0, attributes: {} });
const trace = { traceId: 'a'.repeat(32), sampled: true };

describe('createTraceMemory', () => {
  it('keeps the newest events of a run and counts the others', () => {
    const forgotten: string[] = [];
    const memory = createTraceMemory({ maxEventsPerRun: 2, onForgotten: (cause) => forgotten.push(cause) });
    for (const name of ['a', 'b', 'c', 'd']) memory.note('u1', event(name));
    expect(memory.takeHistory('u1')).to.deep.equal({ events: [event('c'), event('d')], dropped: 2 });
    expect(memory.takeHistory('u1')).to.deep.equal({ events: [], dropped: 0 });
    expect(forgotten).to.deep.equal(['events-per-run', 'events-per-run']);
  });

  it('has room for so many runs and PipelineRuns, and says so when there are more', () => {
    const forgotten: string[] = [];
    const memory = createTraceMemory({ maxRuns: 1, maxPipelineRuns: 1, onForgotten: (cause) => forgotten.push(cause) });
    for (const uid of ['u1', 'u2']) {
      memory.note(uid, event('a'));
      memory.rememberTrace(uid, trace);
    }
    memory.rememberTrace('u1', { ...trace, sampled: false });
    expect(forgotten).to.deep.equal(['runs', 'pipelineruns']);
    expect([memory.traceOf('u1')?.sampled, memory.traceOf('u2')]).to.deep.equal([false, undefined]);
    expect(memory.size).to.equal(2);
    memory.forget('u1');
    expect(memory.size).to.equal(0);
    memory.note('u2', event('a'));
    expect(memory.takeHistory('u2').events).to.have.length(1);
  });
});
