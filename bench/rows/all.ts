import type { Row } from '../support/row.ts';
import { delivery } from './delivery.ts';
import { events } from './events.ts';
import { list } from './list.ts';
import { memory } from './memory.ts';
import { scrape } from './scrape.ts';
import { start } from './start.ts';
import { watch } from './watch.ts';

/** Every bench that needs nothing but this machine, in the order of the budget table. */
export const rows: readonly Row[] = [watch, memory, list, scrape, delivery, events, start];
