import {
  bytesOf,
  integerOf,
  type Message,
  messages,
  numberOf,
  packed,
  readMessage,
  textOf,
  varints,
} from './protobuf.ts';

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** One point of a metric. Times in ms since the epoch. */
interface ReceivedPoint {
  readonly labels: Attributes;
  readonly startMs: number;
  readonly timeMs: number;
  /** Of a sum or a gauge. */
  readonly value?: number;
  /** Of a histogram: counts of each bucket alone, one more than bounds. */
  readonly bounds?: readonly number[];
  readonly counts?: readonly number[];
  readonly sum?: number;
  readonly count?: number;
  /** Of an exponential histogram: `counts` begin with the bucket `offset`. */
  readonly scale?: number;
  readonly offset?: number;
  readonly zeroCount?: number;
  readonly min?: number;
  readonly max?: number;
}

export interface ReceivedMetric {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly type: 'gauge' | 'sum' | 'histogram' | 'exponential' | 'other';
  /** Of a sum; 2 is cumulative. */
  readonly monotonic: boolean;
  readonly temporality: number;
  readonly points: readonly ReceivedPoint[];
}

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly timeMs: number; readonly attributes: Attributes }[];
  /** 0 unset, 1 ok, 2 error. */
  readonly statusCode: number;
  readonly statusMessage: string;
}

/** What one request said, whoever said it. */
export interface ReceivedBatch<T> {
  readonly resource: Attributes;
  readonly scope: string;
  readonly items: readonly T[];
}

// Field numbers: opentelemetry-proto 1.x, metrics.proto, trace.proto, common.proto.

/** An `ExportMetricsServiceRequest` read. */
export function readMetrics(bytes: Uint8Array): ReceivedBatch<ReceivedMetric>[] {
  return readBatches(bytes, readMetric);
}

/** An `ExportTraceServiceRequest` read. */
export function readSpans(bytes: Uint8Array): ReceivedBatch<ReceivedSpan>[] {
  return readBatches(bytes, readSpan);
}

function readBatches<T>(bytes: Uint8Array, read: (message: Message) => T): ReceivedBatch<T>[] {
  return messages(readMessage(bytes), 1).flatMap((of) => {
    const resource = Object.assign({}, ...messages(of, 1).map((message) => attributes(message, 1)));
    return messages(of, 2).map((scoped) => ({
      resource,
      scope: messages(scoped, 1)
        .map((scope) => textOf(scope, 1))
        .join(),
      items: messages(scoped, 2).map(read),
    }));
  });
}

const ms = (nanoseconds: bigint) => Number(nanoseconds / 1_000_000n);

function attributes(message: Message, field: number): Attributes {
  return Object.fromEntries(
    messages(message, field).map((pair) => [textOf(pair, 1), messages(pair, 2).map(anyValue)[0] ?? '']),
  );
}

function anyValue(value: Message): string | number | boolean {
  if (value.has(1)) return textOf(value, 1);
  if (value.has(2)) return numberOf(value, 2) === 1;
  return value.has(3) ? Number(integerOf(value, 3)) : numberOf(value, 4);
}

const types = [
  { type: 'gauge', field: 5, read: readNumber },
  { type: 'sum', field: 7, read: readNumber },
  { type: 'histogram', field: 9, read: readHistogram },
  { type: 'exponential', field: 10, read: readExponential },
] as const;

function readMetric(message: Message): ReceivedMetric {
  const found = types.find(({ field }) => message.has(field));
  const data = found === undefined ? new Map() : (messages(message, found.field)[0] ?? new Map());
  return {
    name: textOf(message, 1),
    description: textOf(message, 2),
    unit: textOf(message, 3),
    type: found?.type ?? 'other',
    temporality: numberOf(data, 2),
    monotonic: numberOf(data, 3) === 1,
    points: found === undefined ? [] : messages(data, 1).map(found.read),
  };
}

/** What every point has; only its labels have another number in each type. */
function pointOf(point: Message, labelsField: number): ReceivedPoint {
  return {
    labels: attributes(point, labelsField),
    startMs: ms(integerOf(point, 2)),
    timeMs: ms(integerOf(point, 3)),
  };
}

function readNumber(point: Message): ReceivedPoint {
  return {
    ...pointOf(point, 7),
    value: point.has(6) ? Number(integerOf(point, 6)) : numberOf(point, 4),
  };
}

function readHistogram(point: Message): ReceivedPoint {
  return {
    ...pointOf(point, 9),
    count: Number(integerOf(point, 4)),
    sum: numberOf(point, 5),
    counts: packed(point, 6).map(({ integer }) => Number(integer)),
    bounds: packed(point, 7).map(({ double }) => double),
  };
}

function readExponential(point: Message): ReceivedPoint {
  const [buckets = new Map()] = messages(point, 8);
  return {
    ...pointOf(point, 1),
    count: Number(integerOf(point, 4)),
    sum: numberOf(point, 5),
    scale: signed(numberOf(point, 6)),
    zeroCount: Number(integerOf(point, 7)),
    offset: signed(numberOf(buckets, 1)),
    counts: varints(buckets, 2),
    min: numberOf(point, 12),
    max: numberOf(point, 13),
  };
}

/** A `sint32`, which puts its sign last. */
const signed = (zigzag: number) => (zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2);

function readSpan(span: Message): ReceivedSpan {
  const [status = new Map()] = messages(span, 15);
  return {
    traceId: Buffer.from(bytesOf(span, 1)).toString('hex'),
    spanId: Buffer.from(bytesOf(span, 2)).toString('hex'),
    parentSpanId: Buffer.from(bytesOf(span, 4)).toString('hex'),
    name: textOf(span, 5),
    startMs: ms(integerOf(span, 7)),
    endMs: ms(integerOf(span, 8)),
    attributes: attributes(span, 9),
    events: messages(span, 11).map((event) => ({
      name: textOf(event, 2),
      timeMs: ms(integerOf(event, 1)),
      attributes: attributes(event, 3),
    })),
    statusCode: numberOf(status, 3),
    statusMessage: textOf(status, 2),
  };
}
