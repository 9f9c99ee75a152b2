import type { Kind } from './run/kind.ts';

/** How one watch stands: not listed yet, listed and watched, or of a kind that the server lacks. */
type WatchState = 'waiting' | 'listed' | 'absent';

/** Which watches have seen all there is. */
export interface SyncState {
  /** Says how a watch stands now. */
  set(key: string, state: WatchState): void;
  state(key: string): WatchState;
  /** Whether every watch of the kind is listed, or absent. */
  kindSynced(kind: Kind): boolean;
  allSynced(): boolean;
}

/** All of these watches, none of them listed yet. */
export function createSyncState(watches: readonly { readonly kind: Kind; readonly key: string }[]): SyncState {
  const states = new Map<string, WatchState>(watches.map(({ key }) => [key, 'waiting']));
  const state = (key: string) => states.get(key) ?? 'waiting';
  return {
    set: (key, next) => void states.set(key, next),
    state,
    kindSynced: (kind) => watches.every((watch) => watch.kind !== kind || state(watch.key) !== 'waiting'),
    allSynced: () => watches.every(({ key }) => state(key) !== 'waiting'),
  };
}
