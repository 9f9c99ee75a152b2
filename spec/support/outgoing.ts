import type { OutgoingEvent } from '../../lib/events/outgoing.ts';
import type { EventWord } from '../../lib/run/step.ts';

interface OutgoingGiven {
  /** The run's name; events of one run share their source. */
  readonly source?: string;
  readonly word?: EventWord;
  readonly id?: string;
  readonly bytes?: number;
  readonly timeMs?: number;
  readonly resourceVersion?: string;
  readonly sequence?: string;
}

let made = 0;

/** An event ready to be posted; each has an id of its own unless told otherwise. */
export function outgoing(given: OutgoingGiven = {}): OutgoingEvent {
  made += 1;
  const { source = 'build-1', word = 'running', id = `id-${made}`, bytes = 2, timeMs = 0 } = given;
  const { resourceVersion = '1', sequence = '00000000000000000001.0' } = given;
  const body = new Uint8Array(bytes).fill(0x20);
  body.set(new TextEncoder().encode('{}').subarray(0, bytes));
  return {
    id,
    source: `/apis/svc.dev/v1/namespaces/ci/taskruns/${source}`,
    type: `dev.svc.event.taskrun.${word}.v1`,
    subject: source,
    timeMs,
    sequence,
    synthesized: false,
    traceparent: undefined,
    word,
    kind: 'TaskRun',
    namespace: 'ci',
    name: source,
    uid: `uid-${source}`,
    resourceVersion,
    body,
  };
}
