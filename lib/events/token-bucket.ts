/** How many may pass at once, and how fast room comes back. */
interface BucketPolicy {
  readonly burst: number;
  readonly perSecond: number;
}

interface TokenBucketsOptions {
  /** For each key; default 25 at once, then one in 5 minutes: client-go `tools/record`, its spam filter. */
  readonly perKey?: BucketPolicy;
  /** For all keys together; default 300 at once, then 30 a second. */
  readonly overall?: BucketPolicy;
  /** Keys remembered; default 10,000. Past it the key used longest ago is forgotten and has its burst again. */
  readonly maxKeys?: number;
}

/** Passes or not, by key and overall. */
export interface TokenBuckets {
  /** Whether one more may pass for `key` at `nowMs`; takes a token of both only if both have one. */
  take(key: string, nowMs: number): boolean;
  forget(key: string): void;
  /** Keys remembered. */
  readonly size: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Token buckets, one for each key and one for all. Time is passed in; one that goes back changes nothing. */
export function tokenBuckets({
  perKey = { burst: 25, perSecond: 1 / 300 },
  overall = { burst: 300, perSecond: 30 },
  maxKeys = 10_000,
}: TokenBucketsOptions = {}): TokenBuckets {
  const buckets = new Map<string, Bucket>();
  const all: Bucket = { tokens: overall.burst, atMs: 0 };

  // In the map's order the first is the one used longest ago.
  const bucketOf = (key: string, nowMs: number): Bucket => {
    const bucket = buckets.get(key) ?? { tokens: perKey.burst, atMs: nowMs };
    buckets.delete(key);
    for (const oldest of buckets.size >= maxKeys ? buckets.keys().take(1) : []) buckets.delete(oldest);
    buckets.set(key, bucket);
    return bucket;
  };
  return {
    take(key, nowMs) {
      const bucket = bucketOf(key, nowMs);
      refill(bucket, perKey, nowMs);
      refill(all, overall, nowMs);
      if (bucket.tokens < 1 || all.tokens < 1) return false;
      bucket.tokens -= 1;
      all.tokens -= 1;
      return true;
    },
    forget: (key) => void buckets.delete(key),
    get size() {
      return buckets.size;
    },
  };
}

function refill(bucket: Bucket, { burst, perSecond }: BucketPolicy, nowMs: number): void {
  const passedMs = Math.max(0, nowMs - bucket.atMs);
  bucket.tokens = Math.min(burst, bucket.tokens + (passedMs / 1000) * perSecond);
  bucket.atMs = Math.max(bucket.atMs, nowMs);
}
