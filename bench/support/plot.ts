import type { Curve } from './row.ts';

const [width, height, left, bottom, top, right] = [640, 360, 64, 48, 40, 16];
const colours = ['#1f6feb', '#d1242f', '#57606a'];

/** A curve as SVG: axes from zero, a line and its points a series, readable on a dark page too. */
export function plot({ title, x, y, series }: Curve): string {
  const points = series.flatMap((one) => one.points);
  const [maxX, maxY] = [niceTop(points.map(([at]) => at)), niceTop(points.map(([, value]) => value))];
  const px = (value: number) => left + (value / maxX) * (width - left - right);
  const py = (value: number) => height - bottom - (value / maxY) * (height - bottom - top);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const grid = ticks.flatMap((share) => [
    `<line x1="${left}" x2="${width - right}" y1="${py(maxY * share)}" y2="${py(maxY * share)}" stroke="#d0d7de"/>`,
    text(left - 8, py(maxY * share) + 4, tick(maxY * share), 'end'),
    text(px(maxX * share), height - bottom + 18, tick(maxX * share), 'middle'),
  ]);
  const lines = series.flatMap(({ name, points: own }, index) => {
    const colour = colours[index % colours.length];
    const path = own.map(([at, value]) => `${px(at).toFixed(1)},${py(value).toFixed(1)}`);
    const dots = path.map(
      (place) => `<circle cx="${place.split(',')[0]}" cy="${place.split(',')[1]}" r="3" fill="${colour}"/>`,
    );
    const legend = text(left + 12, top + 14 + index * 16, name, 'start', colour);
    return [`<polyline points="${path.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`, ...dots, legend];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(left, 22, title, 'start', '#24292f', 'font-size="15" font-weight="bold"'),
    ...grid,
    ...lines,
    text((width + left) / 2, height - 10, x, 'middle'),
    text(left - 8, top - 8, y, 'end'),
    '</svg>',
    '',
  ].join('\n');
}

function text(x: number, y: number, words: string, anchor: string, colour = '#57606a', more = ''): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${colour}" ${more}>${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The least of 1, 2, 2.5, 4, 5 and 8 times a power of ten that nothing is above. */
function niceTop(values: readonly number[]): number {
  const most = Math.max(...values, Number.MIN_VALUE);
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 2.5, 4, 5, 8, 10].find((factor) => factor * power >= most) ?? 10) * power;
}

function tick(value: number): string {
  return value === 0 ? '0' : String(Number(value.toPrecision(3)));
}
