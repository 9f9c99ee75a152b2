import type { Line } from './row.ts';
import { median, spread } from './statistics.ts';

/** A line with what came of it. */
export interface Judged extends Line {
  readonly floorMedian: number | undefined;
  readonly oursMedian: number;
  /** Ours over the floor; undefined without one. */
  readonly ratio: number | undefined;
  /** Of the worse of the two. */
  readonly spread: number;
  /** Undefined where there is no budget. */
  readonly met: boolean | undefined;
}

/** Holds a line against its budget. */
export function judge(line: Line): Judged {
  const { floor, ours, budget } = line;
  const floorMedian = floor.length === 0 ? undefined : median(floor);
  const oursMedian = median(ours);
  const ratio = floorMedian === undefined ? undefined : oursMedian / floorMedian;
  const held = budget.of === 'ratio' ? ratio : oursMedian;
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = budget;
  const met = budget.of === 'none' || held === undefined ? undefined : held <= atMost && held >= atLeast;
  return { ...line, floorMedian, oursMedian, ratio, spread: Math.max(spread(floor), spread(ours)), met };
}

const head = ['what', 'floor', 'ours', 'ratio', 'budget', 'spread', ''];

/** The lines as a Markdown table, fit for a terminal. */
export function tableOf(lines: readonly Judged[]): string {
  const rows = [head, ...lines.map(cellsOf)];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const text = (row: readonly string[]) =>
    `| ${widths.map((width, at) => (row[at] ?? '').padEnd(width)).join(' | ')} |`;
  const [first = head, ...rest] = rows;
  return [text(first), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rest.map(text)].join('\n');
}

function cellsOf(line: Judged): string[] {
  const { what, unit, floorMedian, oursMedian, ratio, met } = line;
  return [
    what,
    floorMedian === undefined ? '' : `${figure(floorMedian)} ${unit}`,
    `${figure(oursMedian)} ${unit}`,
    ratio === undefined ? '' : `${ratio.toFixed(2)}x`,
    budgetText(line),
    line.spread === 0 ? '' : `${Math.round(line.spread * 100)}%`,
    met === undefined ? '' : met ? 'met' : 'MISSED',
  ];
}

function budgetText({ budget: { of, atMost, atLeast }, unit }: Line): string {
  if (of === 'none') return '';
  const suffix = of === 'ratio' ? 'x' : ` ${unit}`;
  return atMost === undefined ? `>= ${atLeast}${suffix}` : `<= ${atMost}${suffix}`;
}

function figure(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}
