/** The SHA-256 of a text, or anything as well mixed, as at least 32 hex digits in lower case. */
export type HashHex = (text: string) => string;

/**
 * The trace of the run with this uid that nobody else's trace goes before.
 *
 * Made of the uid alone: a restart, a replay or another replica says the same.
 */
export function traceIdOf(uid: string, hash: HashHex): string {
  return notZero(hash(`trace ${uid}`).slice(0, 32));
}

/** The span of the run with this uid, or of one step of it. */
export function spanIdOf(uid: string, hash: HashHex, step?: string): string {
  return notZero(hash(step === undefined ? `span ${uid}` : `span ${uid} step ${step}`).slice(0, 16));
}

/** All zeros mean "no id" (W3C Trace Context, sections 3.2.2.3 and 3.2.2.4). */
function notZero(id: string): string {
  return /^0+$/.test(id) ? `${id.slice(0, -1)}1` : id;
}
