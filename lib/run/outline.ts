import { readString } from './byte-strings.ts';
import { comma, type JsonBytes, wordsOf } from './json-bytes.ts';
import { scanWhole, want } from './scan-json.ts';

/** What a run's events and durations need of its object, from bytes that nobody parsed. */
export interface Outline {
  readonly apiVersion: unknown;
  readonly kind: unknown;
  /** Of its metadata. */
  readonly creationTimestamp: unknown;
  /** Of its status. */
  readonly startTime: unknown;
  readonly completionTime: unknown;
  /** The object as it was written, without its `metadata.managedFields`: parts of the bytes, good as long as those. */
  readonly pieces: readonly Uint8Array[];
}

const [apiVersion, kind, creationTimestamp, startTime, completionTime] = [0, 1, 2, 3, 4];
/** Of its place: a start, and behind it an end. */
const [managedFields, managedFieldsEnd] = [5, 6];
const slotCount = 7;

const rows = [
  want.value('apiVersion', apiVersion),
  want.value('kind', kind),
  want.object('metadata', [
    want.value('creationTimestamp', creationTimestamp),
    want.place('managedFields', managedFields),
  ]),
  want.object('status', [want.value('completionTime', completionTime), want.value('startTime', startTime)]),
];

/** The outline of the object between two indices, its braces included; undefined when in doubt, see `scanJson`. */
export function outlineOf(bytes: JsonBytes, start: number, end: number): Outline | undefined {
  const slots: unknown[] = Array.from({ length: slotCount });
  if (!scanWhole({ bytes, words: wordsOf(bytes), start, end, slots, read: readString }, rows)) return undefined;
  return {
    apiVersion: slots[apiVersion],
    kind: slots[kind],
    creationTimestamp: slots[creationTimestamp],
    startTime: slots[startTime],
    completionTime: slots[completionTime],
    pieces: piecesOf(bytes, [start, end], [slots[managedFields], slots[managedFieldsEnd]]),
  };
}

/** The object without a value and the key before it, where there is one. */
function piecesOf(bytes: JsonBytes, [start, end]: readonly [number, number], [cut, cutEnd]: readonly unknown[]) {
  const piece = (from: number, to: number) => new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from);
  if (typeof cut !== 'number' || typeof cutEnd !== 'number') return [piece(start, end)];
  const keyStart = cut - '"managedFields":'.length;
  if (bytes[keyStart - 1] === comma) return [piece(start, keyStart - 1), piece(cutEnd, end)];
  return [piece(start, keyStart), piece(bytes[cutEnd] === comma ? cutEnd + 1 : cutEnd, end)];
}
