import type { HeapProfiler } from 'node:inspector';
import type { Frame, Measured, Measures } from './pprof.ts';

/** A sampled heap of V8 as measures: the bytes still in use, by the stack that made them. */
export function heapMeasures(
  { head }: HeapProfiler.SamplingHeapProfile,
  nowMs: number,
  intervalBytes: number,
): Measures {
  return {
    types: [{ type: 'inuse_space', unit: 'bytes' }],
    samples: samplesOf(head),
    period: intervalBytes,
    startMs: nowMs,
    durationMs: 0,
  };
}

/** Walked without recursion: a stack of calls can be deep. */
function* samplesOf(head: HeapProfiler.SamplingHeapProfileNode): Generator<Measured> {
  const open: { node: HeapProfiler.SamplingHeapProfileNode; above: readonly Frame[] }[] = [{ node: head, above: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, above } = next;
    const stack = node === head ? above : [node.callFrame, ...above];
    if (node.selfSize > 0 && stack.length > 0) yield { stack, values: [node.selfSize] };
    for (const child of node.children) open.push({ node: child, above: stack });
  }
}
