/** A protobuf message, field by field: numbers as they are, everything with a length as bytes. */
export type Message = ReadonlyMap<number, readonly (bigint | Uint8Array | Fixed)[]>;

/** A value of eight bytes, which only the schema can tell to be an integer or a double. */
interface Fixed {
  readonly integer: bigint;
  readonly double: number;
}

/** Reads one message of the wire format; throws at groups and at what is cut off. */
export function readMessage(bytes: Uint8Array): Message {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields = new Map<number, (bigint | Uint8Array | Fixed)[]>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    at += length;
    if (at > bytes.length) throw new Error(`expected ${length} bytes, got the end of the message`);
    return at - length;
  };
  const fixed = (from: number): Fixed => ({
    integer: view.getBigUint64(from, true),
    double: view.getFloat64(from, true),
  });
  const readers: Readonly<Record<number, () => bigint | Uint8Array | Fixed>> = {
    0: varint,
    1: () => fixed(take(8)),
    2: () => {
      const length = Number(varint());
      const from = take(length);
      return bytes.subarray(from, from + length);
    },
    5: () => BigInt(view.getUint32(take(4), true)),
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const read = readers[tag & 7];
    if (read === undefined) throw new Error(`expected wire type 0, 1, 2 or 5, got ${tag & 7}`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), read()]);
  }
  return fields;
}

/** The messages in a field. */
export function messages(message: Message, field: number): Message[] {
  return (message.get(field) ?? []).flatMap((value) => (value instanceof Uint8Array ? [readMessage(value)] : []));
}

/** The bytes in a field, empty where it is not there. */
export function bytesOf(message: Message, field: number): Uint8Array {
  const value = message.get(field)?.at(-1);
  return value instanceof Uint8Array ? value : new Uint8Array();
}

/** The text in a field, '' where it is not there. */
export function textOf(message: Message, field: number): string {
  return new TextDecoder().decode(bytesOf(message, field));
}

/** The number in a field, 0 where it is not there: a double of eight bytes, or an integer. */
export function numberOf(message: Message, field: number): number {
  const value = message.get(field)?.at(-1) ?? 0n;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? 0 : value.double;
}

/** Eight bytes as an integer: times in nanoseconds, counts. */
export function integerOf(message: Message, field: number): bigint {
  const value = message.get(field)?.at(-1) ?? 0n;
  if (typeof value === 'bigint') return value;
  return value instanceof Uint8Array ? 0n : value.integer;
}

/** A packed field of eight bytes each. */
export function packed(message: Message, field: number): Fixed[] {
  const bytes = bytesOf(message, field);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / 8 }, (_, index) => ({
    integer: view.getBigUint64(index * 8, true),
    double: view.getFloat64(index * 8, true),
  }));
}

/** A packed field of integers that are as long as they need to be. */
export function varints(message: Message, field: number): number[] {
  const numbers: number[] = [];
  let [value, factor] = [0, 1];
  for (const byte of bytesOf(message, field)) {
    value += (byte & 0x7f) * factor;
    factor *= 128;
    if (byte >= 0x80) continue;
    numbers.push(value);
    [value, factor] = [0, 1];
  }
  return numbers;
}
