import type { Kept, KeptEvent, KeptTold } from '../../outbox/outbox.ts';
import { keptEvent, keptTold } from '../../outbox/records.ts';
import type { EventPage, ToldPage } from './messages.ts';
import type { WorkerLink } from './worker-link.ts';

/** Reads every row back, page by page. */
export async function readKept(link: Pick<WorkerLink, 'ask'>): Promise<Kept> {
  const events: KeptEvent[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: EventPage = await link.ask({ type: 'events', after });
    events.push(...eventsOf(page));
    after = page.last;
  }
  const told: KeptTold[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: ToldPage = await link.ask({ type: 'told', after });
    told.push(...page.rows.map(keptTold));
    after = page.last;
  }
  return { events, told };
}

function eventsOf({ rows, bodies }: EventPage): KeptEvent[] {
  let offset = 0;
  return rows.map((row) => {
    const start = offset;
    offset += row.bytes;
    // A copy: a view would keep the whole page alive for as long as one of its events waits.
    return keptEvent(row, bodies.slice(start, offset));
  });
}
