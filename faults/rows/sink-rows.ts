import { answers, closesMidAnswer, hangs, refuses, refusesShare, resets, slow } from '../behaviours.ts';
import { keyOf } from '../ledger.ts';
import { type Behaviour, take } from '../numbered-sink.ts';
import type { Row } from '../row.ts';
import { sinkDown } from '../sink-down.ts';

interface Misbehaviour extends Pick<Row, 'name' | 'seconds' | 'args'> {
  readonly behaviour: Behaviour;
  /** Default true: it answers nothing but errors. */
  readonly polite?: boolean;
}

const misbehaviours: readonly Misbehaviour[] = [
  { name: 'sink answers 500', seconds: 10, behaviour: answers(500) },
  { name: 'sink answers 503', seconds: 10, behaviour: answers(503) },
  { name: 'sink answers 429 with Retry-After', seconds: 10, behaviour: answers(429, { 'retry-after': '2' }) },
  { name: 'sink answers 301', seconds: 10, behaviour: answers(301, { location: 'http://127.0.0.1:1/' }) },
  { name: 'sink answers 400', seconds: 10, behaviour: answers(400) },
  { name: 'sink hangs', seconds: 10, behaviour: hangs, args: ['--sink-timeout', '3s'] },
  { name: 'sink closes mid-answer', seconds: 10, behaviour: closesMidAnswer },
  { name: 'sink resets', seconds: 10, behaviour: resets },
  { name: 'sink takes 1 s', seconds: 10, behaviour: slow(1000), polite: false },
  { name: 'sink refuses 30% at random', seconds: 10, behaviour: refusesShare(0.3), polite: false },
];

/** What a sink may do instead of a 2xx. */
export const sinkRows: readonly Row[] = [
  ...misbehaviours.map(misbehaving),
  {
    name: 'sink down 60 s',
    seconds: 60,
    harm: sinkDown,
  },
  {
    name: 'sink back at another port',
    seconds: 5,
    harm: async ({ sink, wait, seconds, pointAtSink }) => {
      await sink.close();
      await wait(seconds);
      await sink.reopen('other');
      await pointAtSink();
    },
  },
  {
    name: 'one event refused for ever among thousands',
    seconds: 10,
    runs: 500,
    onDone: ({ untakeable }, script) => {
      const last = script.lastTelling();
      if (script.number === 30 && last !== undefined) untakeable.add(keyOf(last));
    },
    harm: async ({ sink, wait, seconds, untakeable }) => {
      sink.behaviour = refuses(({ key }) => untakeable.has(key));
      await wait(seconds);
    },
  },
];

function misbehaving({ behaviour, polite = true, ...row }: Misbehaviour): Row {
  return {
    ...row,
    polite,
    harm: async ({ sink, wait, seconds, errors }) => {
      errors.fromMs = performance.now();
      sink.behaviour = behaviour;
      await wait(seconds);
      errors.toMs = performance.now();
      sink.behaviour = take;
    },
  };
}
