/** What reading a text gives: its value, or undefined where it has none. */
type Read<T> = { readonly value: T } | undefined;

/** A strict way to read a text. A text that is not exactly of the format has no value: nothing is guessed. */
export interface Format<T> {
  /** Completes the sentence `expected ..., got "5x"`; also the column of allowed values in the docs. */
  readonly expected: string;
  readonly parse: (text: string) => Read<T>;
  /** What a problem shows of a wrong text; by default the text in quotes (see `quoted`). */
  readonly shown?: (text: string) => string;
}
