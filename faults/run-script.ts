import { profiles } from '../lib/profile.ts';
import { type Kind, kindNames, kinds } from '../lib/run/kind.ts';
import type { EventWord } from '../lib/run/step.ts';
import { type Json, jsonAt, textAt } from '../lib/sandbox/api/stored-object.ts';
import type { Ledger, Telling } from './ledger.ts';
import type { FaultServer } from './servers/fault-server.ts';

/** One run that is written condition by condition. */
export interface RunScript {
  readonly name: string;
  readonly number: number;
  /** How often a run of this name was made before. */
  readonly generation: number;
  /** What the last write so far owed last. */
  readonly lastTelling: () => Telling | undefined;
  /** Writes the next condition; whether there are more. */
  step(): Promise<boolean>;
  /** Skips to the last condition and writes that. */
  finish(): Promise<void>;
  remove(): Promise<void>;
}

/** A condition of the script and what it owes, by the rules of the interface document, section 6.2. */
interface Line {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly words: readonly EventWord[];
}

const versions: Readonly<Record<Kind, string>> = { TaskRun: 'v1', PipelineRun: 'v1', CustomRun: 'v1beta1' };

/** Every fifth run fails; a CustomRun has started when it is made, and runs from then on. */
function linesOf(kind: Kind, number: number): readonly Line[] {
  const custom = kind === 'CustomRun';
  const going = (reason: string, message: string, words: readonly EventWord[]): Line => {
    return { status: 'Unknown', reason, message, words: custom ? ['running'] : words };
  };
  return [
    going('Started', 'accepted', ['started']),
    going('Running', 'steps are running', ['running']),
    going('Waiting', `step ${number} of many`, ['unknown']),
    number % 5 === 0
      ? { status: 'False', reason: 'Failed', message: 'a step failed', words: ['failed'] }
      : { status: 'True', reason: 'Succeeded', message: 'all steps are done', words: ['successful'] },
  ];
}

/** Where runs of a kind are. */
function collectionOf(kind: Kind, namespace: string): string {
  return `/apis/${profiles.svc.apiGroup}/${versions[kind]}/namespaces/${namespace}/${kindNames[kind].plural}`;
}

interface Options {
  readonly server: FaultServer;
  readonly namespace: string;
  readonly ledger: Ledger;
}

/** Makes a run; its kind follows from its number. */
export async function createRun(
  { server, namespace, ledger }: Options,
  name: string,
  number: number,
  generation = 0,
): Promise<RunScript> {
  const kind = kinds[number % kinds.length] ?? 'TaskRun';
  const collection = collectionOf(kind, namespace);
  const source = `${collection}/${name}`;
  const lines = [...linesOf(kind, number)];
  let stored = await server.create(collection, manifest(kind, namespace, name));
  const uid = textAt(stored.metadata, 'uid');
  const telling = ({ words, ...condition }: Line, word: EventWord): Telling => ({ uid, word, ...condition });
  let last: Telling | undefined;
  if (kind === 'CustomRun') ledger.owe(source, [{ uid, word: 'started', status: '', reason: '', message: '' }])();
  const step = async () => {
    const line = lines.shift();
    if (line === undefined) return false;
    const tellings = line.words.map((word) => telling(line, word));
    last = tellings.at(-1);
    const written = ledger.owe(source, tellings);
    stored = await server.writeStatus(collection, stored, statusOf(line, stored));
    written();
    return lines.length > 0;
  };
  return {
    name,
    number,
    generation,
    lastTelling: () => last,
    step,
    finish: async () => {
      lines.splice(0, lines.length - 1);
      await step();
    },
    remove: async () => {
      await server.remove(collection, name);
      ledger.remove(uid);
    },
  };
}

function manifest(kind: Kind, namespace: string, name: string): Json {
  const labels = { 'app.kubernetes.io/managed-by': 'faults', [profiles.svc.labels.task]: 'build' };
  return {
    apiVersion: `${profiles.svc.apiGroup}/${versions[kind]}`,
    kind,
    metadata: { name, namespace, labels },
    spec: { taskRef: { name: 'build' }, params: [{ name: 'revision', value: 'x'.repeat(1000) }] },
  };
}

/** Times are in whole seconds and the transition time is that of the status, as those who execute runs write them. */
function statusOf({ words: _, ...condition }: Line, stored: Json): Json {
  const status = jsonAt(stored, 'status');
  const before = Array.isArray(status.conditions) ? status.conditions[0] : undefined;
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const kept = before?.status === condition.status ? textAt(before, 'lastTransitionTime') : now;
  const startTime = textAt(status, 'startTime') || now;
  return { startTime, conditions: [{ type: 'Succeeded', ...condition, lastTransitionTime: kept }] };
}
