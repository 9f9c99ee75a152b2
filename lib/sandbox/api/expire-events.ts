import type { StoreAccess } from './store-access.ts';
import { textAt } from './stored-object.ts';

/**
 * Removes the Events that were last written longer ago than their time to live; a kube-apiserver leases them to
 * etcd the same way. The controller under the sandbox makes them without end.
 */
export function expireEvents({ list, remove }: StoreAccess, ttlMs: number, nowMs: number): void {
  for (const event of list('events', '')) {
    const { namespace = '', name, creationTimestamp } = event.metadata;
    const lastMs = Date.parse(textAt(event, 'lastTimestamp') || creationTimestamp);
    if (nowMs - lastMs > ttlMs) remove('events', namespace, name);
  }
}
