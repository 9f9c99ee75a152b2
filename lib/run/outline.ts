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
  readonly bytes: JsonBytes;
  /** Where the object stands in the bytes, without its `metadata.managedFields`: starts and ends by turns. */
  readonly pieces: readonly number[];
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
  const pieces = cutOut(bytes, [slots[managedFields], slots[managedFieldsEnd]]);
  return {
    apiVersion: slots[apiVersion],
    kind: slots[kind],
    creationTimestamp: slots[creationTimestamp],
    startTime: slots[startTime],
    completionTime: slots[completionTime],
    bytes,
    pieces: [start, ...pieces, end],
  };
}

/** The end of what is left before a value with its key, and the start of what is left behind; nothing without one. */
function cutOut(bytes: JsonBytes, [valueStart, valueEnd]: readonly unknown[]): readonly number[] {
  if (typeof valueStart !== 'number' || typeof valueEnd !== 'number') return [];
  const keyStart = valueStart - '"managedFields":'.length;
  if (bytes[keyStart - 1] === comma) return [keyStart - 1, valueEnd];
  return [keyStart, bytes[valueEnd] === comma ? valueEnd + 1 : valueEnd];
}
