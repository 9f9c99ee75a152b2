import type { Format } from './format.ts';

/** Each is 1024 of the one before. */
const units = ['', 'KiB', 'MiB', 'GiB'];

/** A number of bytes between two bounds, both allowed: `256MiB`, `1GiB`, `65536`. The bounds are written as given. */
export function bytes({ min, max }: { min: string; max: string }): Format<number> {
  const [least = 0, most = 0] = [min, max].map((text) => readBytes(text) ?? Number.NaN);
  return {
    expected: `a size such as 256MiB or 1GiB, from ${min} to ${max}`,
    parse: (text) => {
      const value = readBytes(text);
      return value === undefined || value < least || value > most ? undefined : { value };
    },
  };
}

function readBytes(text: string): number | undefined {
  const [, digits, unit = ''] = /^([1-9]\d{0,15})(KiB|MiB|GiB)?$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * 1024 ** units.indexOf(unit);
}
