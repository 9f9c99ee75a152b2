/**
 * What a watched resource tells, in order; `T` is one of its objects as read.
 *
 * `relisting` .. `applied`* .. `listed` is one complete list: an object known before and not applied in between
 * is gone. After it come single changes. `bookmark` says only how far the watch has come. `absent` says that the
 * server does not have the resource (yet): whatever was known of it is gone.
 */
export type WatchEvent<T> =
  /**
   * `at` says what the list shows: the server's past at the mark that the watch resumes from, its present, or its
   * present because the mark's history is gone (`after-loss`).
   */
  | { readonly type: 'relisting'; readonly at: 'present' | 'mark' | 'after-loss' }
  | { readonly type: 'applied'; readonly object: T }
  | { readonly type: 'deleted'; readonly object: T }
  | { readonly type: 'listed'; readonly resourceVersion: string }
  | { readonly type: 'bookmark'; readonly resourceVersion: string }
  | { readonly type: 'absent' };
