/** A measurement against its budget. */
export interface Line {
  /** What is measured, in the words of the design's budget table. */
  readonly what: string;
  readonly unit: string;
  /** What the floor came to, a value a repetition; empty where the budget is absolute. */
  readonly floor: readonly number[];
  readonly ours: readonly number[];
  readonly budget: Budget;
  /** What a reader must know to trust the numbers. */
  readonly note?: string;
}

/** `ratio` bounds ours over the floor, `value` ours alone; `none` is told beside the others. */
interface Budget {
  readonly of: 'ratio' | 'value' | 'none';
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** Some measurements by what they grow with, for docs/performance. */
export interface Curve {
  /** Of the SVG file. */
  readonly name: string;
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly series: readonly { readonly name: string; readonly points: readonly (readonly [number, number])[] }[];
}

export interface Outcome {
  readonly lines: readonly Line[];
  readonly curves?: readonly Curve[];
}

/** How much is measured: 1 is the size that the budgets are about, less is for a look. */
export interface Effort {
  readonly scale: number;
  readonly repetitions: number;
}

/** One bench: some lines of the table, and how they are come by. */
export interface Row {
  readonly name: string;
  readonly run: (effort: Effort) => Promise<Outcome>;
}
