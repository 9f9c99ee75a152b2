import type { ExportResult } from './target.ts';

type Failure = Extract<ExportResult, { ok: false }>;

/** The gRPC codes that OTLP allows to try again (OTLP specification, "Failures"), and those worth naming. */
const grpcCodes: Readonly<Record<number, { readonly name: string; readonly retryable: boolean }>> = {
  1: { name: 'CANCELLED', retryable: true },
  3: { name: 'INVALID_ARGUMENT', retryable: false },
  4: { name: 'DEADLINE_EXCEEDED', retryable: true },
  5: { name: 'NOT_FOUND', retryable: false },
  7: { name: 'PERMISSION_DENIED', retryable: false },
  8: { name: 'RESOURCE_EXHAUSTED', retryable: true },
  10: { name: 'ABORTED', retryable: true },
  11: { name: 'OUT_OF_RANGE', retryable: true },
  12: { name: 'UNIMPLEMENTED', retryable: false },
  13: { name: 'INTERNAL', retryable: false },
  14: { name: 'UNAVAILABLE', retryable: true },
  15: { name: 'DATA_LOSS', retryable: true },
  16: { name: 'UNAUTHENTICATED', retryable: false },
};

/** As OTLP over HTTP has it: everything else that answers is final. */
const retryableStatuses = new Set([408, 429, 502, 503, 504]);

/**
 * Why a push failed, in one clause, and whether another attempt makes sense.
 *
 * Made of codes alone: a message may quote a header or an address. What has no code had no answer, or one that
 * asks to try later: the exporters keep that status to themselves.
 */
export function exportProblem(error: unknown): Failure {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return { ok: false, problem: `no connection (${code})`, retryable: true };
  if (typeof code !== 'number')
    return { ok: false, problem: 'no answer in time, or told to try later', retryable: true };
  if (code >= 100) {
    return { ok: false, problem: `answered ${code}`, retryable: retryableStatuses.has(code) };
  }
  const { name, retryable } = grpcCodes[code] ?? { name: `code ${code}`, retryable: false };
  return { ok: false, problem: `answered ${name}`, retryable };
}
