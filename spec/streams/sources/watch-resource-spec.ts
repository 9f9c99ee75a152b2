import { expect } from 'chai';
import { Subject, type Subscription } from 'rxjs';
import sinon from 'sinon';
import { KubeError, type ListPage, type ResourceType, type WatchLine } from '../../../lib/kube/api.ts';
import type { WatchEvent } from '../../../lib/kube/watch-event.ts';
import { discovered } from '../../../streams/sources/discovered.ts';
import type { WatchOptions } from '../../../streams/sources/watch-options.ts';
import { watchResource } from '../../../streams/sources/watch-resource.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { recordedMeasure } from '../../support/recorded-measure.ts';
import { type OpenWatch, scriptedKubeApi } from '../../support/scripted-kube-api.ts';

const v1: ResourceType = { group: 'svc.dev', version: 'v1', plural: 'taskruns', kind: 'TaskRun' };
const v1beta1: ResourceType = { ...v1, version: 'v1beta1' };

const run = (name: string, resourceVersion: string) => ({ metadata: { name, namespace: 'x', resourceVersion } });
const line = (type: WatchLine['type'], name: string, version: string): WatchLine => ({
  type,
  object: run(name, version),
});
const page = (resourceVersion: string, names: readonly string[] = [], continueToken = ''): ListPage => ({
  items: names.map((name) => run(name, '1')),
  resourceVersion,
  continueToken,
});

const unreachable = new KubeError('unreachable', 'the API server gives no answer');
const expired = new KubeError('expired', 'gone', { code: 410 });
const absent = new KubeError('absent', 'no such resource', { code: 404 });

/** `relisting present`, `applied a`, `listed 5`: an event in two words. */
function inWords(event: WatchEvent<string>): string {
  if (event.type === 'relisting') return `relisting ${event.at}`;
  if (event.type === 'applied' || event.type === 'deleted') return `${event.type} ${event.object}`;
  return event.type === 'absent' ? 'absent' : `${event.type} ${event.resourceVersion}`;
}

describe('watchResource', () => {
  let clock: sinon.SinonFakeTimers;
  let script: ReturnType<typeof scriptedKubeApi>;
  let measure: ReturnType<typeof recordedMeasure>;
  let log: ReturnType<typeof recordedLog>;
  let told: string[];
  let subscription: Subscription;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ now: 1_000_000 });
    script = scriptedKubeApi();
    measure = recordedMeasure();
    log = recordedLog();
    told = [];
  });

  afterEach(() => {
    subscription.unsubscribe();
    clock.restore();
  });

  const settled = () => clock.tickAsync(0);

  async function start(options: Partial<WatchOptions<string>> = {}) {
    subscription = watchResource<string>({
      api: script.api,
      type: v1,
      namespace: '',
      read: ({ metadata }) => (metadata as { name?: string } | undefined)?.name,
      resourceLabel: 'taskruns',
      measure,
      log,
      random: () => 1,
      ...options,
    }).subscribe({
      next: (event) => told.push(inWords(event)),
      error: () => told.push('error'),
      complete: () => told.push('complete'),
    });
    await settled();
  }

  /** Listed at 5 and watching. */
  async function startWatching(options: Partial<WatchOptions<string>> = {}): Promise<OpenWatch> {
    script.lists.push(page('5'));
    await start(options);
    told.length = 0;
    script.requests.length = 0;
    return lastWatch();
  }

  function lastWatch(): OpenWatch {
    const watch = script.watches.at(-1);
    if (watch === undefined) throw new Error('expected a watch, got none');
    return watch;
  }

  const restarts = (cause: string) =>
    measure.counts.get(`watch_restarts_total{resource="taskruns",cause="${cause}"}`) ?? 0;
  const gauge = (name: string) => measure.gauges.get(`${name}{resource="taskruns"}`);
  const levels = () => log.lines.map(({ level, sentence }) => `${level} ${sentence}`);

  describe('list', () => {
    it('tells a list page by page, then watches from its version', async () => {
      script.lists.push(page('5', ['a', 'b'], 'next'), page('5', ['c']));
      await start();
      expect(told).to.deep.equal(['relisting present', 'applied a', 'applied b', 'applied c', 'listed 5']);
      expect(script.requests).to.deep.equal([
        'list {"limit":500}',
        'list {"limit":500,"continueToken":"next"}',
        'watch {"resourceVersion":"5"}',
      ]);
    });

    it('tells a page before it asks for the next', async () => {
      script.lists.push(page('5', ['a'], 'next'));
      await start();
      expect(told).to.deep.equal(['relisting present', 'applied a']);
      expect(script.requests).to.have.length(2);
    });

    it('passes the selector and page size on', async () => {
      script.lists.push(page('5'));
      await start({ fieldSelector: 'metadata.name=a', pageSize: 7 });
      expect(script.requests).to.deep.equal([
        'list {"limit":7,"fieldSelector":"metadata.name=a"}',
        'watch {"resourceVersion":"5","fieldSelector":"metadata.name=a"}',
      ]);
    });

    it('asks again for a page that did not come', async () => {
      script.lists.push(page('5', ['a'], 'next'), unreachable, page('5', ['b']));
      await start();
      await clock.tickAsync(800);
      expect(told).to.deep.equal(['relisting present', 'applied a', 'applied b', 'listed 5']);
      expect(script.requests[2]).to.equal('list {"limit":500,"continueToken":"next"}');
    });

    it('starts over after a page that the server refuses', async () => {
      script.lists.push(page('5', ['a'], 'next'), new KubeError('refused', 'bad token', { code: 400 }), page('6'));
      await start();
      await clock.tickAsync(800);
      expect(told).to.deep.equal(['relisting present', 'applied a', 'relisting present', 'listed 6']);
    });

    it('lists in one piece, once, when its pages take longer than the server keeps a past', async () => {
      script.lists.push(page('5', ['a'], 'next'), expired, page('9', ['a', 'b']));
      await start();
      await clock.tickAsync(800);
      expect(script.requests.slice(1, 3)).to.deep.equal(['list {"limit":500,"continueToken":"next"}', 'list {}']);
      expect(told.slice(2)).to.deep.equal(['relisting present', 'applied a', 'applied b', 'listed 9']);
      lastWatch().fail(expired);
      await clock.tickAsync(1600);
      expect(script.requests.at(-1)).to.equal('list {"limit":500}');
    });

    it('says nothing of a list that does not come about, and measures one that does', async () => {
      script.lists.push(unreachable, page('5'));
      await start();
      expect(told).to.deep.equal([]);
      expect(gauge('resource_synced')).to.equal(0);
      await clock.tickAsync(800);
      expect(gauge('resource_synced')).to.equal(1);
      expect(gauge('resource_available')).to.equal(1);
      expect(gauge('watch_last_contact_timestamp_seconds')).to.equal(1000.8);
      expect(measure.observed.get('list_duration_seconds')).to.deep.equal([0.8]);
    });
  });

  describe('a mark', () => {
    const exact = 'list {"limit":500,"resourceVersion":"3","resourceVersionMatch":"Exact"}';

    it('is listed exactly and watched from', async () => {
      script.lists.push(page('3', ['a'], 'next'), page('3', ['b']));
      await start({ startAt: '3' });
      expect(told).to.deep.equal(['relisting mark', 'applied a', 'applied b', 'listed 3']);
      expect(script.requests).to.deep.equal([
        exact,
        'list {"limit":500,"continueToken":"next"}',
        'watch {"resourceVersion":"3"}',
      ]);
    });

    for (const { title, error, at } of [
      { title: 'is compacted', error: expired, at: 'after-loss' },
      { title: 'lies in the future', error: new KubeError('future', 'too large', { code: 504 }), at: 'present' },
      { title: 'is no version', error: new KubeError('refused', 'invalid', { code: 400 }), at: 'after-loss' },
    ]) {
      it(`gives way to the present when it ${title}`, async () => {
        script.lists.push(error, page('9', ['a']));
        await start({ startAt: '3' });
        await clock.tickAsync(800);
        expect(script.requests.slice(0, 2)).to.deep.equal([exact, 'list {"limit":500}']);
        expect(told).to.deep.equal([`relisting ${at}`, 'applied a', 'listed 9']);
      });
    }

    it('gives way to the present when it is compacted between two pages', async () => {
      script.lists.push(page('3', ['a'], 'next'), expired, page('9'));
      await start({ startAt: '3' });
      await clock.tickAsync(800);
      expect(script.requests.at(-2)).to.equal('list {"limit":500}');
      expect(told).to.deep.equal(['relisting mark', 'applied a', 'relisting after-loss', 'listed 9']);
    });

    it('is kept while the server does not answer or lacks the resource', async () => {
      script.lists.push(unreachable, absent, page('3'));
      await start({ startAt: '3' });
      await clock.tickAsync(40_000);
      expect(script.requests.slice(0, 3)).to.deep.equal([exact, exact, exact]);
      expect(told).to.deep.equal(['absent', 'relisting mark', 'listed 3']);
    });

    it('is used up by the first complete list', async () => {
      script.lists.push(page('3'), page('9'));
      await start({ startAt: '3' });
      lastWatch().fail(expired);
      await clock.tickAsync(800);
      expect(told).to.deep.equal(['relisting mark', 'listed 3', 'relisting present', 'listed 9']);
    });
  });

  describe('watch', () => {
    it('tells the lines of a chunk in one turn', async () => {
      const watch = await startWatching();
      watch.send(
        line('ADDED', 'a', '6'),
        line('MODIFIED', 'a', '7'),
        line('DELETED', 'a', '8'),
        line('BOOKMARK', '', '9'),
      );
      expect(told).to.deep.equal(['applied a', 'applied a', 'deleted a', 'bookmark 9']);
      expect(measure.counts.get('watch_events_total{resource="taskruns"}')).to.equal(3);
    });

    it('resumes from the last version seen, without listing over', async () => {
      const watch = await startWatching();
      watch.send(line('ADDED', 'a', '6'), line('BOOKMARK', '', '9'), { type: 'BOOKMARK', object: {} });
      watch.fail(unreachable);
      await clock.tickAsync(800);
      expect(script.requests).to.deep.equal(['watch {"resourceVersion":"9"}']);
      expect(restarts('unreachable')).to.equal(1);
      expect(told).to.deep.equal(['applied a', 'bookmark 9']);
    });

    it('goes on at once after the server ended it, twice in a row', async () => {
      (await startWatching()).send();
      for (const version of ['6', '7']) {
        await clock.tickAsync(300_000);
        lastWatch().send(line('ADDED', 'a', version));
        lastWatch().end();
        await settled();
      }
      expect(script.requests).to.deep.equal(['watch {"resourceVersion":"6"}', 'watch {"resourceVersion":"7"}']);
      expect(restarts('ended')).to.equal(2);
      expect(levels()).to.deep.equal(Array(2).fill('debug the API server ended a watch, it is opened again'));
    });

    it('waits before the next when it lasted less than a second', async () => {
      const watch = await startWatching();
      await clock.tickAsync(999);
      watch.end();
      await clock.tickAsync(799);
      expect(script.watches).to.have.length(1);
      await clock.tickAsync(1);
      expect(script.watches).to.have.length(2);
      lastWatch().end();
      await clock.tickAsync(1599);
      expect(script.watches).to.have.length(2);
      await clock.tickAsync(1);
      expect(script.watches).to.have.length(3);
    });

    for (const { title, error } of [
      { title: 'by status or line', error: expired },
      { title: 'as lying in the future', error: new KubeError('future', 'too large') },
    ]) {
      it(`lists the present when its version is refused ${title}`, async () => {
        const watch = await startWatching();
        script.lists.push(page('90', ['b']));
        watch.fail(error);
        await clock.tickAsync(800);
        expect(told).to.deep.equal(['relisting present', 'applied b', 'listed 90']);
        expect(script.requests).to.deep.equal(['list {"limit":500}', 'watch {"resourceVersion":"90"}']);
        expect(restarts('expired')).to.equal(1);
      });
    }

    it('judges an ERROR line that is handed over', async () => {
      const watch = await startWatching();
      script.lists.push(page('90'));
      watch.send(line('ADDED', 'a', '6'), { type: 'ERROR', object: { code: 410, message: 'too old' } });
      await clock.tickAsync(800);
      expect(told).to.deep.equal(['applied a', 'relisting present', 'listed 90']);
    });

    it('lists over when a malformed line comes twice at one version', async () => {
      const malformed = new KubeError('malformed', 'no JSON');
      const watch = await startWatching();
      script.lists.push(page('90'));
      watch.send(line('ADDED', 'a', '6'));
      watch.fail(malformed);
      await clock.tickAsync(800);
      lastWatch().send(line('ADDED', 'b', '7'));
      lastWatch().fail(malformed);
      await clock.tickAsync(1600);
      lastWatch().fail(malformed);
      await clock.tickAsync(3200);
      expect(script.requests).to.deep.equal([
        'watch {"resourceVersion":"6"}',
        'watch {"resourceVersion":"7"}',
        'list {"limit":500}',
        'watch {"resourceVersion":"90"}',
      ]);
      expect(restarts('malformed')).to.equal(3);
    });

    for (const failure of ['silent', 'unreachable'] as const) {
      it(`resumes after a server was ${failure}`, async () => {
        const watch = await startWatching();
        watch.fail(new KubeError(failure, 'nothing'));
        await clock.tickAsync(800);
        expect(script.requests).to.deep.equal(['watch {"resourceVersion":"5"}']);
        expect(restarts(failure)).to.equal(1);
      });
    }

    it('is out of sync from a failure until the server accepts it again', async () => {
      const watch = await startWatching();
      watch.fail(unreachable);
      await clock.tickAsync(800);
      expect(gauge('resource_synced')).to.equal(0);
      lastWatch().send();
      expect(gauge('resource_synced')).to.equal(1);
      expect(gauge('watch_last_contact_timestamp_seconds')).to.equal(1000.8);
    });

    it('takes an error of another kind for a refusal', async () => {
      const watch = await startWatching();
      watch.fail(new TypeError('bug'));
      await clock.tickAsync(800);
      expect(restarts('refused')).to.equal(1);
      expect(log.lines[0]?.fields.problem).to.equal('expected a KubeError, got TypeError: bug');
    });
  });

  describe('a server that was put back', () => {
    let putBack$: Subject<string | undefined>;

    beforeEach(() => {
      putBack$ = new Subject();
    });

    it('is listed over as it was at a version that still holds, and watched from there', async () => {
      await startWatching({ putBack$ });
      script.lists.push(page('3', ['a']));
      putBack$.next('3');
      await settled();
      expect(script.aborted).to.equal(1);
      expect(told).to.deep.equal(['relisting mark', 'applied a', 'listed 3']);
      expect(script.requests).to.deep.equal([
        'list {"limit":500,"resourceVersion":"3","resourceVersionMatch":"Exact"}',
        'watch {"resourceVersion":"3"}',
      ]);
    });

    it('is watched on where nothing was seen beyond that version', async () => {
      await startWatching({ putBack$ });
      putBack$.next('5');
      await settled();
      expect([told, script.requests, script.aborted]).to.deep.equal([[], [], 0]);
    });

    it('is listed on at a mark of before: nothing between it and that version is skipped', async () => {
      await start({ putBack$, startAt: '2' });
      putBack$.next('3');
      putBack$.next(undefined);
      script.requests.length = 0;
      putBack$.next('1');
      await settled();
      expect(script.requests).to.deep.equal([
        'list {"limit":500,"resourceVersion":"1","resourceVersionMatch":"Exact"}',
      ]);
    });

    it('is listed anew as it is now while its list after a loss is under way', async () => {
      script.lists.push(expired);
      await start({ putBack$, startAt: '2' });
      await clock.tickAsync(800);
      script.requests.length = 0;
      script.lists.push(page('4'));
      putBack$.next('3');
      await settled();
      expect(script.requests[0]).to.equal('list {"limit":500}');
      expect(told).to.deep.equal(['relisting after-loss', 'listed 4']);
    });

    it('lacks the resource until it has read its CRDs: it is looked for soon', async () => {
      await startWatching({ putBack$ });
      script.lists.push(absent, page('3'));
      putBack$.next('3');
      await clock.tickAsync(800);
      expect(told).to.deep.equal(['absent', 'relisting mark', 'listed 3']);
    });

    it('is listed over as it is now where no version is known to hold', async () => {
      await startWatching({ putBack$ });
      script.lists.push(page('3', ['a']));
      putBack$.next(undefined);
      await settled();
      expect(told).to.deep.equal(['relisting present', 'applied a', 'listed 3']);
    });

    it('ends the list of before, and says when a trouble of before is over', async () => {
      const watch = await startWatching({ putBack$ });
      watch.fail(expired);
      await clock.tickAsync(800);
      expect(script.requests).to.deep.equal(['list {"limit":500}']);
      script.lists.push(page('3'));
      putBack$.next('3');
      await settled();
      expect(told).to.deep.equal(['relisting mark', 'listed 3']);
      expect(levels()).to.deep.equal(['warn a watch failed and is tried again', 'info the watch is back']);
    });
  });

  describe('back-off', () => {
    /** Fails each watch as it opens; the waits in between. */
    async function waits(errors: readonly KubeError[]): Promise<number[]> {
      await startWatching();
      const times: number[] = [];
      for (const error of errors) {
        lastWatch().fail(error);
        const [failedAt, opened] = [Date.now(), script.watches.length];
        while (script.watches.length === opened) await clock.nextAsync();
        times.push(Date.now() - failedAt);
      }
      return times;
    }

    it('grows to half a minute', async () => {
      expect(await waits(Array(8).fill(unreachable))).to.deep.equal([
        800, 1600, 3200, 6400, 12800, 25600, 30000, 30000,
      ]);
    });

    it('waits as long as the server asks for, if that is longer, and five minutes at most', async () => {
      const busy = (seconds: number) => new KubeError('busy', 'slow', { code: 429, retryAfterMs: seconds * 1000 });
      expect(await waits([busy(7), busy(1), busy(3600)])).to.deep.equal([7000, 1600, 300_000]);
    });

    it('starts over after quiet, not after success', async () => {
      await startWatching();
      const fail = async (quietMs: number) => {
        lastWatch().send(line('ADDED', 'a', '6'));
        await clock.tickAsync(quietMs);
        lastWatch().fail(unreachable);
        const [failedAt, opened] = [Date.now(), script.watches.length];
        while (script.watches.length === opened) await clock.nextAsync();
        return Date.now() - failedAt;
      };
      expect([await fail(0), await fail(100_000), await fail(100_000), await fail(119_999)]).to.deep.equal([
        800, 1600, 3200, 800,
      ]);
    });

    it('is short for a version that is gone, unless it is gone again', async () => {
      await startWatching();
      script.lists.push(page('6'), page('7'), page('8'));
      const delays: number[] = [];
      for (const error of [unreachable, unreachable, expired, expired, unreachable]) {
        lastWatch().fail(error);
        const [failedAt, opened] = [Date.now(), script.watches.length];
        while (script.watches.length === opened) await clock.nextAsync();
        delays.push(Date.now() - failedAt);
      }
      expect(delays).to.deep.equal([800, 1600, 800, 3200, 6400]);
    });

    it('is spread by chance', async () => {
      const watch = await startWatching({ random: () => 0.25 });
      watch.fail(unreachable);
      await clock.tickAsync(200);
      expect(script.watches).to.have.length(2);
    });
  });

  describe('log', () => {
    it('says a trouble once, its repeats for debugging, and its end once', async () => {
      const watch = await startWatching();
      watch.fail(unreachable);
      await clock.tickAsync(800);
      lastWatch().fail(unreachable);
      await clock.tickAsync(1600);
      lastWatch().send();
      lastWatch().send();
      lastWatch().fail(unreachable);
      await clock.tickAsync(3200);
      lastWatch().send();
      expect(levels()).to.deep.equal([
        'warn a watch failed and is tried again',
        'debug a watch failed and is tried again',
        'info the watch is back',
        'debug a watch failed and is tried again',
      ]);
      expect(log.lines[0]?.fields).to.deep.equal({
        resource: 'taskruns',
        cause: 'unreachable',
        delayMs: 800,
        problem: 'the API server gives no answer',
      });
    });

    it('says a trouble again that comes back after quiet, and one of another kind at once', async () => {
      const watch = await startWatching();
      watch.fail(unreachable);
      await clock.tickAsync(800);
      lastWatch().fail(new KubeError('forbidden', 'no'));
      await clock.tickAsync(200_000);
      lastWatch().fail(unreachable);
      await settled();
      expect(log.lines.map(({ level }) => level)).to.deep.equal(['warn', 'warn', 'warn']);
    });

    it('warns once of watches that end too soon', async () => {
      const watch = await startWatching();
      watch.end();
      await clock.tickAsync(800);
      lastWatch().send();
      lastWatch().end();
      await settled();
      expect(log.lines.map(({ level }) => level)).to.deep.equal(['warn', 'info', 'debug']);
    });
  });

  describe('an object that cannot be read', () => {
    it('is counted, named once, and stops nothing', async () => {
      const watch = await startWatching();
      const nameless = (version: string): WatchLine => ({
        type: 'ADDED',
        object: { metadata: { resourceVersion: version } },
      });
      watch.send(nameless('6'), line('ADDED', 'a', '7'), nameless('8'));
      watch.fail(unreachable);
      await clock.tickAsync(800);
      expect(told).to.deep.equal(['applied a']);
      expect(measure.counts.get('watch_malformed_total{resource="taskruns"}')).to.equal(2);
      expect(levels().slice(0, 2)).to.deep.equal(['warn an object cannot be read', 'debug an object cannot be read']);
      expect(script.requests).to.deep.equal(['watch {"resourceVersion":"8"}']);
    });

    it('is the same when reading throws, in a list too', async () => {
      script.lists.push({ ...page('5', ['a', 'b']), items: [{}, run('b', '1')] });
      const read = ({ metadata }: Readonly<Record<string, unknown>>) => (metadata as { name: string }).name;
      await start({ read });
      expect(told).to.deep.equal(['relisting present', 'applied b', 'listed 5']);
      expect(measure.counts.get('watch_malformed_total{resource="taskruns"}')).to.equal(1);
    });

    it('is read with the type that is watched', async () => {
      script.lists.push(page('5', ['a']));
      await start({ read: (_, { version }) => version });
      lastWatch().send(line('ADDED', 'b', '6'));
      expect(told).to.deep.equal(['relisting present', 'applied v1', 'listed 5', 'applied v1']);
    });
  });

  describe('a resource that the server lacks', () => {
    const type = () => discovered(script.api, 'svc.dev', 'taskruns');

    it('is told once, looked for, and picked up when it appears', async () => {
      script.discoveries.push([], [{ ...v1, plural: 'others' }], [v1]);
      script.lists.push(page('5'));
      await start({ type: type() });
      expect(told).to.deep.equal(['absent']);
      expect(gauge('resource_available')).to.equal(0);
      await clock.tickAsync(59_999);
      expect(script.requests).to.deep.equal(['discover svc.dev', 'discover svc.dev']);
      await clock.tickAsync(1);
      expect(told).to.deep.equal(['absent', 'relisting present', 'listed 5']);
      expect(gauge('resource_available')).to.equal(1);
      expect(levels()).to.deep.equal([
        'warn the API server does not have the resource, it is looked for',
        'info the API server has the resource now',
      ]);
    });

    it('is absent when its definition is deleted, and listed when it is installed again at another version', async () => {
      script.discoveries.push([v1beta1], [], [v1]);
      const watch = await startWatching({ type: type() });
      watch.fail(absent);
      await settled();
      expect(told).to.deep.equal(['absent']);
      expect(gauge('resource_synced')).to.equal(0);
      script.lists.push(page('9'));
      await clock.tickAsync(800);
      lastWatch().fail(expired);
      await clock.tickAsync(800);
      expect(told).to.deep.equal(['absent', 'relisting present', 'listed 9']);
      expect([watch.type, lastWatch().type]).to.deep.equal([v1beta1, v1]);
    });

    it('is watched on from where it was when a server that restarts lacked it for a moment', async () => {
      script.discoveries.push([v1], [], [], [v1]);
      const watch = await startWatching({ type: type() });
      watch.send(line('ADDED', 'a', '7'));
      watch.fail(absent);
      await clock.tickAsync(800 + 1600);
      lastWatch().send();
      lastWatch().send(line('MODIFIED', 'a', '8'));
      expect(script.requests.at(-1)).to.equal('watch {"resourceVersion":"7"}');
      expect(told).to.deep.equal(['applied a', 'absent', 'bookmark 7', 'applied a']);
      expect([gauge('resource_available'), gauge('resource_synced')]).to.deep.equal([1, 1]);
      expect(levels()).to.deep.equal([
        'warn a watch failed and is tried again',
        'warn the API server does not have the resource, it is looked for',
        'info the watch is back',
        'info the API server has the resource now',
      ]);
    });

    it('is looked for less and less often, however long it was there', async () => {
      script.discoveries.push([v1], ...Array.from({ length: 12 }, () => []));
      const watch = await startWatching({ type: type() });
      watch.fail(absent);
      await clock.tickAsync(800 + 1600 + 3200 + 6400 + 12_800 + 25_600 + 30_000 + 29_999);
      expect(script.requests).to.have.length(8);
    });

    it('is watched on when only its version has changed', async () => {
      script.discoveries.push([v1beta1], [v1]);
      const watch = await startWatching({ type: type() });
      watch.fail(absent);
      await settled();
      expect(told).to.deep.equal([]);
      expect(script.requests).to.deep.equal(['discover svc.dev', 'watch {"resourceVersion":"5"}']);
      expect(lastWatch().type).to.equal(v1);
    });

    it('is not asked for without a wait when discovery names what is not there', async () => {
      script.discoveries.push([v1], [v1], [v1]);
      const watch = await startWatching({ type: type() });
      watch.fail(absent);
      await settled();
      lastWatch().fail(absent);
      await clock.tickAsync(799);
      expect(script.watches).to.have.length(2);
      await clock.tickAsync(1);
      expect(script.watches).to.have.length(3);
    });

    it('is looked for by listing where its type is fixed', async () => {
      script.lists.push(absent, absent, page('5'));
      await start({ absentPollMs: 10 });
      expect([gauge('resource_available'), gauge('resource_synced')]).to.deep.equal([0, 0]);
      await clock.tickAsync(20);
      expect(told).to.deep.equal(['absent', 'relisting present', 'listed 5']);
      expect(levels()[0]).to.equal('warn the API server does not have the resource, it is looked for');
    });

    it('is there as soon as discovery names it, though it may not be listed', async () => {
      script.discoveries.push([v1]);
      script.lists.push(new KubeError('forbidden', 'may not list', { code: 403 }));
      await start({ type: type() });
      expect([gauge('resource_available'), gauge('resource_synced')]).to.deep.equal([1, 0]);
    });

    it('is absent again when it was named for a moment and never listed', async () => {
      script.discoveries.push([], [v1], []);
      script.lists.push(absent);
      await start({ type: type() });
      await clock.tickAsync(30_000);
      expect(told).to.deep.equal(['absent']);
      expect(gauge('resource_available')).to.equal(0);
    });

    it('is a trouble like any other when the server does not answer', async () => {
      script.discoveries.push(unreachable, [v1]);
      script.lists.push(page('5'));
      await start({ type: type() });
      await clock.tickAsync(800);
      expect(told).to.deep.equal(['relisting present', 'listed 5']);
    });
  });

  describe('unsubscribing', () => {
    const nothingMore = async () => {
      const requests = script.requests.length;
      subscription.unsubscribe();
      told.length = 0;
      await clock.tickAsync(1_000_000);
      expect(told).to.deep.equal([]);
      expect(script.requests).to.have.length(requests);
      expect(clock.countTimers()).to.equal(0);
    };

    it('aborts a discovery', async () => {
      await start({ type: discovered(script.api, 'svc.dev', 'taskruns') });
      await nothingMore();
      expect(script.aborted).to.equal(1);
    });

    it('aborts a list', async () => {
      script.lists.push(page('5', ['a'], 'next'));
      await start();
      await nothingMore();
      expect(script.aborted).to.equal(1);
    });

    it('aborts a watch', async () => {
      const watch = await startWatching();
      await nothingMore();
      expect(watch.signal.aborted).to.equal(true);
    });

    it('ends a wait', async () => {
      (await startWatching()).fail(unreachable);
      await settled();
      expect(clock.countTimers()).to.equal(1);
      await nothingMore();
    });

    it('says that the resource is not watched any more', async () => {
      await startWatching();
      expect(gauge('resource_synced')).to.equal(1);
      subscription.unsubscribe();
      expect(gauge('resource_synced')).to.equal(0);
      await settled();
      script.lists.push(page('5', ['a', 'last']));
      await start({
        read: ({ metadata }) => {
          const { name } = metadata as { name: string };
          if (name === 'last') subscription.unsubscribe();
          return name;
        },
      });
      expect(gauge('resource_synced')).to.equal(0);
    });

    it('in the middle of a page or chunk tells no more of it', async () => {
      script.lists.push(page('5', ['a', 'stop', 'b']));
      const read = ({ metadata }: Readonly<Record<string, unknown>>) => {
        const { name } = metadata as { name: string };
        if (name === 'stop') subscription.unsubscribe();
        return name;
      };
      await start({ read });
      expect(told).to.deep.equal(['relisting present', 'applied a']);
      script.lists.push(page('5'));
      await start({ read });
      lastWatch().send(line('ADDED', 'c', '6'), line('ADDED', 'stop', '7'), line('ADDED', 'd', '8'));
      expect(told.slice(2)).to.deep.equal(['relisting present', 'listed 5', 'applied c']);
      expect(measure.counts.get('watch_malformed_total{resource="taskruns"}')).to.equal(undefined);
    });
  });

  it('lists and watches for each subscriber by itself', async () => {
    script.lists.push(page('5'), page('6'));
    await start();
    const first = subscription;
    await start();
    first.unsubscribe();
    expect(told).to.deep.equal(['relisting present', 'listed 5', 'relisting present', 'listed 6']);
    expect(script.watches.map(({ signal }) => signal.aborted)).to.deep.equal([true, false]);
  });
});
