import { expect } from 'chai';
import { map } from 'rxjs';
import { readConfigMap } from '../../../config/config-map.ts';
import type { Reading } from '../../../config/in-force.ts';
import { profiles } from '../../../lib/profile.ts';
import { keepLastGood } from '../../../streams/operators/keep-last-good.ts';
import { configMap } from '../../support/config-maps.ts';
import { marbles } from '../../support/marbles.ts';

const version = (resourceVersion: string, text: string): Reading => ({
  type: 'version',
  map: readConfigMap(configMap('feature-flags', resourceVersion, { 'send-cloudevents-for-runs': text })),
});

const readings: Record<string, Reading> = {
  t: version('1', 'true'),
  f: version('2', 'false'),
  x: version('3', 'yes'),
  m: { type: 'missing' },
  g: { type: 'gone' },
  r: { type: 'restored', kept: { 'send-cloudevents-for-runs': 'true' } },
};

const options = { name: 'feature-flags', profile: profiles.svc, now: () => 0 } as const;
const kept = { 'send-cloudevents-for-runs': 'true' };

/** The value in force as a letter, in upper case when the reading is told as refused. */
const letter = ({ value, told }: { value: { sendCloudEventsForRuns: boolean }; told: string }) => {
  const name = value.sendCloudEventsForRuns ? 't' : 'f';
  return told === 'refused' ? name.toUpperCase() : name;
};

describe('keepLastGood', () => {
  const rows = [
    { title: 'stays with the good value through a bad edit', kept: undefined, given: '-t-x-f-x|', want: '-t-T-f-F|' },
    { title: 'has the default when nothing good was ever seen', kept: undefined, given: '-x-t|', want: '-F-t|' },
    { title: 'has the kept value when the first version is bad', kept, given: '-x-f|', want: '-T-f|' },
    { title: 'takes a restored value until a version is read', kept: undefined, given: '-r-x-f|', want: '-t-T-f|' },
    { title: 'goes back to the default when the map is missing', kept, given: '-m-t-m-g|', want: '-f-t-f-f|' },
    { title: 'passes an error through', kept: undefined, given: '-t-#', want: '-t-#' },
  ];
  for (const row of rows) {
    it(
      row.title,
      marbles(({ hot, expectObservable }) => {
        const inForce$ = hot(row.given, readings).pipe(keepLastGood({ ...options, kept: row.kept }), map(letter));
        expectObservable(inForce$).toBe(row.want);
      }),
    );
  }

  it(
    'begins anew for each subscriber',
    marbles(({ cold, expectObservable }) => {
      const inForce$ = cold('-t-x|', readings).pipe(keepLastGood({ ...options, kept: undefined }), map(letter));
      expectObservable(inForce$).toBe('-t-T|');
      expectObservable(inForce$, '------^').toBe('-------t-T|');
    }),
  );

  it(
    'asks for the time once for each reading',
    marbles(({ hot, expectObservable, flush }) => {
      let asked = 0;
      const now = () => ++asked;
      const since$ = hot('-t-f-x|', readings).pipe(
        keepLastGood({ ...options, kept: undefined, now }),
        map(({ status }) => [status.sinceMs, status.refusedSinceMs]),
      );
      expectObservable(since$).toBe('-a-b-c|', { a: [1, undefined], b: [2, undefined], c: [2, 3] });
      flush();
      expect(asked).to.equal(3);
    }),
  );
});
