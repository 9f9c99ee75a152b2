import type { Row } from '../row.ts';
import { clockRows } from './clock-rows.ts';
import { configRows } from './config-rows.ts';
import { diskRows } from './disk-rows.ts';
import { leaderRows } from './leader-rows.ts';
import { processRows } from './process-rows.ts';
import { runRows } from './run-rows.ts';
import { serverRows } from './server-rows.ts';
import { sinkRows } from './sink-rows.ts';

/** Every row, in the order of the table. */
export const rows: readonly Row[] = [
  ...sinkRows,
  ...processRows,
  ...leaderRows,
  ...serverRows,
  ...configRows,
  ...runRows,
  ...diskRows,
  ...clockRows,
];
