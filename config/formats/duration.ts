import type { Format } from './format.ts';

/** Units in milliseconds, the greatest first: the order in which a duration names them. */
const unitsMs = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

const pattern = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** Milliseconds of a text such as `30s`, `1m30s` or `500ms`; undefined where it is none. */
function readDurationMs(text: string): number | undefined {
  const parts = pattern.exec(text);
  if (text === '' || parts === null) return undefined;
  return Object.values(unitsMs).reduce((sum, unit, index) => sum + Number(parts[index + 1] ?? 0) * unit, 0);
}

/** The shortest text of a duration: 90000 is `1m30s`, 0 is `0s`. */
export function durationText(durationMs: number): string {
  let rest = durationMs;
  let text = '';
  for (const [unit, ms] of Object.entries(unitsMs)) {
    const count = Math.floor(rest / ms);
    rest -= count * ms;
    if (count > 0) text += `${count}${unit}`;
  }
  return text || '0s';
}

/**
 * A duration in milliseconds between two bounds, both allowed: whole numbers with the units h, m, s and ms, each
 * at most once and in this order.
 */
export function duration({ minMs, maxMs }: { minMs: number; maxMs: number }): Format<number> {
  return {
    expected: `a duration such as 30s, 1m30s or 500ms, from ${durationText(minMs)} to ${durationText(maxMs)}`,
    parse: (text) => {
      const value = readDurationMs(text);
      return value === undefined || value < minMs || value > maxMs ? undefined : { value };
    },
  };
}
