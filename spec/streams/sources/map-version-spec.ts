import { map } from 'rxjs';
import type { WatchEvent } from '../../../lib/kube/watch-event.ts';
import type { Resource } from '../../../lib/run/run.ts';
import { mapVersion } from '../../../streams/sources/map-version.ts';
import { configMap } from '../../support/config-maps.ts';
import { marbles } from '../../support/marbles.ts';

const events: Record<string, WatchEvent<Resource>> = {
  r: { type: 'relisting', at: 'present' },
  l: { type: 'listed', resourceVersion: '9' },
  k: { type: 'bookmark', resourceVersion: '10' },
  x: { type: 'absent' },
  a: { type: 'applied', object: configMap('config-events', '1', { sink: 'http://a' }) },
  b: { type: 'applied', object: configMap('config-events', '2', { sink: 'http://b' }) },
  d: { type: 'deleted', object: configMap('config-events', '3', {}) },
  o: { type: 'applied', object: { metadata: { name: 'config-events' }, data: 'no mapping' } },
};

const rows = [
  { title: 'emits the map once its list is complete', given: 'ra-l-|', want: '   ---a-|' },
  { title: 'emits nothing before a list is complete', given: 'ra---|', want: '   -----|' },
  { title: 'says that a complete list without it means there is none', given: 'r--l-|', want: '---n-|' },
  { title: 'says that a server without config maps means there is none', given: 'x-ral|', want: 'n---a|' },
  { title: 'follows single changes after the list', given: 'ral-b-d-a|', want: '--a-b-n-a|' },
  { title: 'takes the last of several versions within a list', given: 'rab-l|', want: '----b|' },
  { title: 'takes a deletion within a list', given: 'rad-l|', want: '----n|' },
  { title: 'does not repeat a version that a relist shows again', given: 'ralralb|', want: '--a---b|' },
  { title: 'notices that a relist no longer shows it', given: 'ralr-l|', want: '--a--n|' },
  { title: 'does not repeat that there is none', given: 'rlrlxd|', want: '-n----|' },
  { title: 'ignores bookmarks and a list that never began', given: 'l-k-b|', want: '----b|' },
  { title: 'takes every sight of an object without a version', given: 'rlo-o|', want: '-no-o|' },
  { title: 'passes an error through', given: 'ral-#', want: '--a-#' },
];

describe('mapVersion', () => {
  for (const { title, given, want } of rows) {
    it(
      title,
      marbles(({ hot, expectObservable }) => {
        const names = { '1': 'a', '2': 'b', '': 'o' } as Record<string, string>;
        const version$ = mapVersion(hot(given.trim(), events)).pipe(
          map((version) => (version === undefined ? 'n' : names[version.resourceVersion])),
        );
        expectObservable(version$).toBe(want.trim());
      }),
    );
  }

  it(
    'begins anew for each subscriber',
    marbles(({ cold, expectObservable }) => {
      const version$ = mapVersion(cold('ral|', events)).pipe(map(() => 'v'));
      expectObservable(version$).toBe('--v|');
      expectObservable(version$).toBe('--v|');
    }),
  );
});
