import type { Format } from './formats/format.ts';

/** One setting as data: what it is called, how its text reads, and what people are told about it. */
export interface Row<T> {
  /** The key in the config map, or the name of the flag. */
  readonly key: string;
  readonly format: Format<T>;
  /** A text of the format; '' stands for no value where the format allows it. */
  readonly default: string;
  /** One or two sentences. */
  readonly doc: string;
  /** A text of the format that differs from the default. */
  readonly example: string;
}

/** A row for each field of the settings `S`, keyed by the field. */
export type Rows<S> = { readonly [Field in keyof S]: Row<S[Field]> };

/** A row whose type of value no longer matters, with the field it fills. */
export interface FieldRow extends Row<unknown> {
  readonly field: string;
}

/** The rows as a list, in the order they were written. */
export function fieldRows<S>(rows: Rows<S>): readonly FieldRow[] {
  return Object.entries<Row<unknown>>(rows).map(([field, row]) => ({ ...row, field }));
}
