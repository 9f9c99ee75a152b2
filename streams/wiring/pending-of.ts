import { type Observable, tap } from 'rxjs';
import type { Checkpoint } from '../../lib/checkpoint/checkpoint.ts';
import type { OutgoingEvent } from '../../lib/events/outgoing.ts';
import type { KubeApi } from '../../lib/kube/api.ts';
import type { Log } from '../../lib/log.ts';
import type { Measure } from '../../lib/metrics/own.ts';
import type { Profile } from '../../lib/profile.ts';
import { kindNames } from '../../lib/run/kind.ts';
import { recoverPending } from '../sources/recover-pending.ts';
import type { RunWatch } from '../sources/run-watches.ts';
import { outgoingOf } from './outgoing-of.ts';
import type { Terms } from './terms.ts';

interface Options {
  readonly api: KubeApi;
  readonly profile: Profile;
  readonly checkpoint: Checkpoint | undefined;
  readonly watches: readonly Pick<RunWatch, 'kind' | 'namespace' | 'key'>[];
  readonly terms: Pick<Terms, 'book'>;
  readonly measure: Measure;
  readonly log: Log;
}

/** What the term before left unacknowledged, owed again in the book of this one. */
export function pendingOf({ checkpoint, watches, terms, ...given }: Options): Observable<readonly OutgoingEvent[]> {
  const outgoing = outgoingOf(given.profile);
  const watchOf = ({ kind, namespace }: OutgoingEvent) =>
    watches.find((watch) => watch.kind === kind && (watch.namespace === '' || watch.namespace === namespace));
  return recoverPending({
    ...given,
    pending: checkpoint?.pending ?? [],
    eventOf: (observed, word, synthesized) => {
      const step = { before: undefined, after: observed.run, observed, events: [word], kubeEvents: [] };
      return outgoing({ ...step, synthesized, finished: undefined })[0];
    },
  }).pipe(
    tap((events) => {
      for (const event of events) terms.book()?.owes(watchOf(event)?.key ?? kindNames[event.kind].plural, [event]);
    }),
  );
}
