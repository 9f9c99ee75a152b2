import type { ResourceType } from '../kube/api.ts';
import type { LabelKeys } from '../profile.ts';
import { createByteStrings, type ReadString } from './byte-strings.ts';
import { createWordsOf, type JsonBytes } from './json-bytes.ts';
import type { Kind } from './kind.ts';
import { type Outline, outlineOf } from './outline.ts';
import type { RunParts } from './parts.ts';
import { runOf } from './read.ts';
import type { Observed, Resource, Run } from './run.ts';
import { scanJson, type Wanted, want } from './scan-json.ts';

/** Where one object stands in the bytes that arrived, and how to have all of it. */
export interface Unparsed {
  readonly bytes: JsonBytes;
  /** Of the object's opening brace. */
  readonly start: number;
  /** Behind its closing brace. */
  readonly end: number;
  /** The whole object, parsed when first asked for. */
  parse(): Resource;
}

/** Reads a run from its bytes; undefined when in doubt (see scanJson) or where `readRun` refuses it: parse it then. */
type ScanRun = (unparsed: Unparsed, type: ResourceType) => Observed | undefined;

const names = ['uid', 'name', 'namespace', 'resourceVersion', 'asked', 'taskRef', 'pipelineRef', 'embedded'] as const;
const labelled = ['task', 'pipelineTask', 'pipeline', 'pipelineRun'] as const;
const conditional = ['type', 'status', 'reason', 'message', 'lastTransitionTime'] as const;
const slotNames = [...names, ...labelled, ...conditional];
const slot = Object.fromEntries(slotNames.map((name, index) => [name, index])) as Record<
  (typeof slotNames)[number],
  number
>;

// What partsOf looks at, and no more: what is added there must be added here, the spec compares the two.
const rowsOf = (keys: LabelKeys): readonly Wanted[] => [
  want.object('metadata', [
    want.object(
      'labels',
      labelled.map((name) => want.value(keys[name], slot[name])),
    ),
    ...(['name', 'namespace', 'resourceVersion', 'uid'] as const).map((name) => want.value(name, slot[name])),
  ]),
  want.object('spec', [
    want.object('pipelineRef', [want.value('name', slot.pipelineRef)]),
    want.value('status', slot.asked),
    want.object('taskRef', [want.value('name', slot.taskRef)]),
    want.there('taskSpec', slot.embedded),
  ]),
  want.object('status', [
    want.one(
      'conditions',
      slot.type,
      'Succeeded',
      conditional.map((name) => want.value(name, slot[name])),
    ),
  ]),
];

interface ScanRunOptions {
  readonly kind: Kind;
  readonly labels: LabelKeys;
  /** Reads strings; one serves many scans. Default: one of its own. */
  readonly read?: ReadString;
}

/**
 * What `readRun` would read, without parsing the object: the few parts that it looks at are picked from the bytes.
 *
 * The whole object is parsed once somebody asks for `resource`, which only spans do while there is an outline: parsing
 * is most of what an object of 4.3 KB costs, and 7 KB of garbage.
 */
export function createScanRun({ kind, labels, read = createByteStrings() }: ScanRunOptions): ScanRun {
  const rows = rowsOf(labels);
  const wordsIn = createWordsOf();
  const slots: unknown[] = slotNames.map(() => undefined);
  return (unparsed, type) => {
    const { bytes, start, end } = unparsed;
    slots.fill(undefined);
    if (!scanJson({ bytes, words: wordsIn(bytes), start, end, slots, read }, rows)) return undefined;
    const run = runOf(partsIn(slots), kind);
    return run && new Scanned(run, type, unparsed);
  };
}

function partsIn(slots: readonly unknown[]): RunParts {
  return {
    uid: slots[slot.uid],
    name: slots[slot.name],
    namespace: slots[slot.namespace],
    resourceVersion: slots[slot.resourceVersion],
    labels: {
      task: slots[slot.task],
      pipelineTask: slots[slot.pipelineTask],
      pipeline: slots[slot.pipeline],
      pipelineRun: slots[slot.pipelineRun],
    },
    asked: slots[slot.asked],
    taskRef: slots[slot.taskRef],
    pipelineRef: slots[slot.pipelineRef],
    embedded: slots[slot.embedded] === true,
    condition: slots[slot.type] === undefined ? undefined : conditionIn(slots),
  };
}

function conditionIn(slots: readonly unknown[]): RunParts['condition'] {
  return {
    status: slots[slot.status],
    reason: slots[slot.reason],
    message: slots[slot.message],
    lastTransitionTime: slots[slot.lastTransitionTime],
  };
}

class Scanned implements Observed {
  readonly run: Run;
  readonly type: ResourceType;
  readonly #unparsed: Unparsed;
  /** Null: looked for in vain. */
  #outline: Outline | null | undefined;

  constructor(run: Run, type: ResourceType, unparsed: Unparsed) {
    this.run = run;
    this.type = type;
    this.#unparsed = unparsed;
  }

  get resource(): Resource {
    return this.#unparsed.parse();
  }

  get outline(): Outline | undefined {
    const { bytes, start, end } = this.#unparsed;
    if (this.#outline === undefined) this.#outline = outlineOf(bytes, start, end) ?? null;
    return this.#outline ?? undefined;
  }
}
