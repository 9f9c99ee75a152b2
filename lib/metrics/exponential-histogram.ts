/** What an exponential histogram says at one moment; the words are those of OTLP's ExponentialHistogramDataPoint. */
export interface ExponentialReading {
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  /** Buckets grow by a factor of 2^(2^-scale): 20, the finest, to -10. */
  readonly scale: number;
  /** Observations that were 0; one below counts here too: neither durations nor latencies have any. */
  readonly zeroCount: number;
  readonly positive: ExponentialBuckets;
}

/** Bucket `offset + i` holds what is above factor^(offset + i) and at most factor^(offset + i + 1). */
interface ExponentialBuckets {
  readonly offset: number;
  readonly bucketCounts: readonly number[];
}

/** As OpenTelemetry's SDKs have it: MaxSize and MaxScale of the base-2 exponential aggregation. */
const maxBuckets = 160;
const maxScale = 20;

/**
 * A histogram whose bounds follow from what it sees: at most 160 buckets, as fine as the spread allows.
 *
 * Values from ten seconds to a day leave buckets that are 9% wide. A spread that outgrows the buckets makes them twice
 * as wide, for good. Some 1.5 KB when all of them are in use.
 */
export class ExponentialHistogram {
  #count = 0;
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #zeroCount = 0;
  #scale = maxScale;
  #offset = 0;
  #counts: number[] = [];

  /** Adds one finite number. */
  observe(value: number): void {
    this.#count += 1;
    this.#sum += value;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
    if (value <= 0) {
      this.#zeroCount += 1;
      return;
    }
    const index = this.#roomFor(value);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  /** A copy: what is observed later does not change it. */
  read(): ExponentialReading {
    return {
      count: this.#count,
      sum: this.#sum,
      min: this.#min,
      max: this.#max,
      scale: this.#scale,
      zeroCount: this.#zeroCount,
      positive: { offset: this.#offset, bucketCounts: [...this.#counts] },
    };
  }

  /** The place of a value's bucket in `#counts`, made where there is none. */
  #roomFor(value: number): number {
    if (this.#counts.length === 0) this.#offset = bucketOf(value, this.#scale);
    while (this.#spanWith(bucketOf(value, this.#scale)) > maxBuckets) this.#halve();
    const bucket = bucketOf(value, this.#scale);
    if (bucket < this.#offset) {
      this.#counts.unshift(...zeros(this.#offset - bucket));
      this.#offset = bucket;
    }
    this.#counts.push(...zeros(bucket - this.#offset + 1 - this.#counts.length));
    return bucket - this.#offset;
  }

  /** Buckets from the lowest to the highest, this one included. */
  #spanWith(bucket: number): number {
    const last = Math.max(this.#offset + this.#counts.length - 1, bucket);
    return last - Math.min(this.#offset, bucket) + 1;
  }

  /** Puts two neighbours together: with the scale one lower, bucket i becomes floor(i / 2). */
  #halve(): void {
    const offset = Math.floor(this.#offset / 2);
    const counts: number[] = [];
    for (const [place, count] of this.#counts.entries()) {
      const to = Math.floor((this.#offset + place) / 2) - offset;
      counts[to] = (counts[to] ?? 0) + count;
    }
    this.#offset = offset;
    this.#counts = counts;
    this.#scale -= 1;
  }
}

const zeros = (length: number): number[] => new Array<number>(Math.max(0, length)).fill(0);

/** log2 is exact for powers of two, which are the bounds that all scales share. */
const bucketOf = (value: number, scale: number) => Math.ceil(Math.log2(value) * 2 ** scale) - 1;
