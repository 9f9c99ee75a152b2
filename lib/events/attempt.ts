import type { Attempt } from './outgoing.ts';

/**
 * What an answer of the sink came to: any 2xx is delivered, everything else failed (interface document, section 4.2).
 *
 * A redirect is a failure too: following one would post to a place nobody configured.
 */
export function attemptOf(status: number, retryAfterMs: number | undefined): Attempt {
  if (status >= 200 && status < 300) return { outcome: 'delivered', status };
  return { outcome: 'failed', result: resultOf(status), problem: `answered ${status}`, retryAfterMs };
}

function resultOf(status: number): '3xx' | '4xx' | '5xx' | 'broken' {
  if (status >= 300 && status < 400) return '3xx';
  if (status >= 400 && status < 500) return '4xx';
  return status >= 500 && status < 600 ? '5xx' : 'broken';
}
