import { expect } from 'chai';
import { NEVER, Subject } from 'rxjs';
import sinon from 'sinon';
import { defaultSettings } from '../../../config/default-settings.ts';
import { type MapName, mapNames } from '../../../config/settings.ts';
import type { SettingsState } from '../../../config/settings-state.ts';
import type { WatchEvent } from '../../../lib/kube/watch-event.ts';
import { profiles } from '../../../lib/profile.ts';
import type { Resource } from '../../../lib/run/run.ts';
import { type SettingsOptions, settings } from '../../../streams/sources/settings.ts';
import type { KeptTexts } from '../../../streams/sources/settings-effects.ts';
import { configMap } from '../../support/config-maps.ts';

const sinkA = 'http://a.example/';
const sinkB = 'http://b.example/';
const badLevel = 'metrics.taskrun.level: expected taskrun | task | namespace, got "pod"';

/** Everything around the settings, with a list of what they did. */
class World {
  readonly clock = sinon.useFakeTimers({ now: 1_000_000 });
  readonly watches = Object.fromEntries(mapNames.map((name) => [name, new Subject<WatchEvent<Resource>>()])) as Record<
    MapName,
    Subject<WatchEvent<Resource>>
  >;
  readonly giveUp$ = new Subject<void>();
  readonly states: SettingsState[] = [];
  readonly told: string[] = [];
  readonly saved: (readonly [MapName, unknown])[] = [];
  loads: (() => Promise<KeptTexts>)[] = [];
  error: unknown;
  #version = 0;

  async start(kept: KeptTexts | Error = {}, more: Partial<SettingsOptions> = {}) {
    const load = async () => {
      if (kept instanceof Error) throw kept;
      return kept;
    };
    const subscription = settings({
      watches: this.watches,
      profile: profiles.svc,
      giveUpWaiting$: this.giveUp$,
      loadLastGood: () => (this.loads.shift() ?? load)(),
      onLoadFailed: (error) => this.told.push(`load failed: ${String(error)}`),
      onProblems: (map, problems) => this.told.push(`${map} refused: ${problems.join('; ')}`),
      onWarnings: (map, warnings) => this.told.push(`${map} warns: ${warnings.join('; ')}`),
      onApplied: ({ map, source, recovered, atMs }) =>
        this.told.push(`${map} applied ${source}${recovered ? ' recovered' : ''} at ${atMs}`),
      saveLastGood: (map, data) => this.saved.push([map, data]),
      now: () => Date.now(),
      ...more,
    }).subscribe({
      next: (state) => this.states.push(state),
      error: (error: unknown) => {
        this.error = error;
      },
    });
    await this.clock.tickAsync(0);
    return subscription;
  }

  /** Lists the map with this data; undefined: the list is complete without it. */
  list(name: MapName, data?: Readonly<Record<string, string>>) {
    this.watches[name].next({ type: 'relisting', at: 'present' });
    if (data) this.apply(name, data);
    this.watches[name].next({ type: 'listed', resourceVersion: '1' });
  }

  /** Lists all four maps, those without data as missing. */
  listAll(data: Partial<Record<MapName, Readonly<Record<string, string>>>> = {}) {
    for (const name of mapNames) this.list(name, data[name]);
  }

  apply(name: MapName, data: Readonly<Record<string, string>>) {
    this.#version += 1;
    this.watches[name].next({ type: 'applied', object: configMap(name, String(this.#version), data) });
  }

  delete(name: MapName) {
    this.watches[name].next({ type: 'deleted', object: configMap(name, 'gone', {}) });
  }

  get last(): SettingsState {
    return this.states.at(-1) ?? expect.fail('no settings yet');
  }

  /** The told lines so far, forgotten afterwards. */
  heard() {
    return this.told.splice(0);
  }
}

describe('settings', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.clock.restore());

  /** Enough for any burst to be over. */
  const settle = () => world.clock.tickAsync(200);

  it('comes first when all four maps are read', async () => {
    await world.start();
    for (const name of ['config-observability', 'config-events', 'config-defaults'] as const) world.list(name);
    expect(world.states).to.deep.equal([]);
    world.list('feature-flags');
    expect(world.states).to.have.length(1);
    expect(world.last.settings).to.deep.equal(defaultSettings(profiles.svc));
    expect(world.last.sink).to.deep.equal({ state: 'none' });
    expect(world.last.maps['feature-flags']).to.deep.equal({
      source: 'default',
      resourceVersion: undefined,
      problems: [],
      warnings: [],
      sinceMs: 1_000_000,
      refusedSinceMs: undefined,
    });
    expect(world.heard()).to.deep.equal(mapNames.map((name) => `${name} applied default at 1000000`));
  });

  it('takes the values of the maps, keeps their known texts and says so once a version', async () => {
    await world.start();
    world.listAll({
      'config-events': { sink: sinkA, other: 'x' },
      'feature-flags': { 'send-cloudevents-for-runs': 'true' },
    });
    expect(world.last.sink).to.deep.equal({ state: 'sink', url: sinkA });
    expect(world.last.settings['feature-flags'].sendCloudEventsForRuns).to.equal(true);
    expect(world.last.maps['config-events']).to.deep.include({ source: 'map', resourceVersion: '1' });
    expect(world.saved).to.deep.include.members([['config-events', { sink: sinkA }]]);
    expect(world.heard()).to.deep.equal([
      'config-observability applied default at 1000000',
      'config-events warns: other: unknown key',
      'config-events applied map at 1000000',
      'config-defaults applied default at 1000000',
      'feature-flags applied map at 1000000',
    ]);
  });

  it('says nothing when a relist shows the versions it knows', async () => {
    await world.start();
    world.listAll({ 'config-events': { sink: sinkA } });
    world.heard();
    for (let round = 0; round < 3; round += 1) {
      world.watches['config-events'].next({ type: 'relisting', at: 'present' });
      world.watches['config-events'].next({
        type: 'applied',
        object: configMap('config-events', '1', { sink: sinkA }),
      });
      world.watches['config-events'].next({ type: 'listed', resourceVersion: '9' });
      await settle();
    }
    expect(world.states).to.have.length(1);
    expect(world.heard()).to.deep.equal([]);
  });

  it('keeps the last good settings of a map as a whole, until a good version comes', async () => {
    await world.start();
    world.listAll({ 'config-observability': { 'metrics.taskrun.level': 'namespace', 'metrics.series-limit': '500' } });
    const good = world.last.settings['config-observability'];
    world.heard();
    await world.clock.tickAsync(5_000);

    world.apply('config-observability', { 'metrics.taskrun.level': 'pod', 'metrics.series-limit': '600' });
    expect(world.last.settings['config-observability']).to.equal(good);
    expect(world.last.maps['config-observability']).to.deep.equal({
      source: 'last-good',
      resourceVersion: '2',
      problems: [badLevel],
      warnings: [],
      sinceMs: 1_000_000,
      refusedSinceMs: 1_005_000,
    });
    expect(world.heard()).to.deep.equal([`config-observability refused: ${badLevel}`]);

    await world.clock.tickAsync(5_000);
    world.apply('config-observability', { 'metrics.taskrun.level': 'pod' });
    expect(world.last.maps['config-observability'].refusedSinceMs).to.equal(1_005_000);
    expect(world.heard()).to.have.length(1);

    await world.clock.tickAsync(5_000);
    world.apply('config-observability', { 'metrics.taskrun.level': 'task', 'metrics.series-limit': '600' });
    expect(world.last.settings['config-observability'].seriesLimit).to.equal(600);
    expect(world.last.maps['config-observability']).to.deep.include({
      source: 'map',
      problems: [],
      sinceMs: 1_015_000,
      refusedSinceMs: undefined,
    });
    expect(world.heard()).to.deep.equal(['config-observability applied map recovered at 1015000']);
    expect(world.saved.at(-1)?.[1]).to.deep.equal({ 'metrics.taskrun.level': 'task', 'metrics.series-limit': '600' });
  });

  it('keeps the identity of values that an edit does not change', async () => {
    await world.start();
    world.listAll({ 'config-events': { sink: sinkA } });
    const { settings: before } = world.last;
    await world.clock.tickAsync(1_000);
    world.apply('config-events', { sink: sinkA, formats: 'svcv1' });
    expect(world.last.settings['config-events']).to.equal(before['config-events']);
    expect(world.last.settings['feature-flags']).to.equal(before['feature-flags']);
    expect(world.last.maps['config-events']).to.deep.include({ sinceMs: 1_000_000, resourceVersion: '2' });
  });

  it('falls back to the last good text of an earlier process when the first version is bad', async () => {
    await world.start({ 'config-observability': { 'metrics.taskrun.level': 'namespace' } });
    world.listAll({ 'config-observability': { 'metrics.taskrun.level': 'pod' } });
    expect(world.last.settings['config-observability'].taskrunLevel).to.equal('namespace');
    expect(world.last.maps['config-observability']).to.deep.include({ source: 'last-good', problems: [badLevel] });
    expect(world.saved.map(([name]) => name)).not.to.include('config-observability');
  });

  for (const kept of [
    {},
    { 'config-observability': {} },
    { 'config-observability': { 'metrics.taskrun.level': 'pod' } },
  ]) {
    it(`falls back to defaults when the first version is bad and ${JSON.stringify(kept)} is kept`, async () => {
      await world.start(kept);
      world.listAll({ 'config-observability': { 'metrics.taskrun.level': 'pod' } });
      expect(world.last.settings['config-observability'].taskrunLevel).to.equal('task');
      expect(world.last.maps['config-observability']).to.deep.include({ source: 'default', problems: [badLevel] });
    });
  }

  it('goes back to defaults when a map is deleted, and to its values when it is made again', async () => {
    await world.start();
    world.listAll({ 'feature-flags': { 'send-cloudevents-for-runs': 'true' } });
    await settle();
    world.heard();
    world.delete('feature-flags');
    expect(world.last.settings['feature-flags'].sendCloudEventsForRuns).to.equal(false);
    expect(world.last.maps['feature-flags']).to.deep.include({ source: 'default', resourceVersion: undefined });
    expect(world.saved.at(-1)).to.deep.equal(['feature-flags', {}]);
    expect(world.heard()).to.deep.equal(['feature-flags applied default at 1000200']);
    await settle();
    world.apply('feature-flags', { 'send-cloudevents-for-runs': 'true' });
    expect(world.last.settings['feature-flags'].sendCloudEventsForRuns).to.equal(true);
  });

  it('recovers from a bad map when it is deleted', async () => {
    await world.start();
    world.listAll({ 'feature-flags': { 'send-cloudevents-for-runs': 'yes' } });
    await settle();
    world.heard();
    world.delete('feature-flags');
    expect(world.last.maps['feature-flags']).to.deep.include({ problems: [], refusedSinceMs: undefined });
    expect(world.heard()).to.deep.equal(['feature-flags applied default recovered at 1000200']);
  });

  describe('the sink', () => {
    it('is config-events first, the deprecated one else', async () => {
      await world.start();
      world.listAll({ 'config-events': { sink: sinkA }, 'config-defaults': { 'default-cloud-events-sink': sinkB } });
      expect(world.last.sink).to.deep.equal({ state: 'sink', url: sinkA });
      await settle();
      world.apply('config-events', {});
      expect(world.last.sink).to.deep.equal({ state: 'sink', url: sinkB });
      await settle();
      world.apply('config-defaults', {});
      expect(world.last.sink).to.deep.equal({ state: 'none' });
    });

    it('says that one of two sinks is not used, once until that changes', async () => {
      await world.start();
      world.listAll({ 'config-events': { sink: sinkA }, 'config-defaults': { 'default-cloud-events-sink': sinkB } });
      const [deprecated, unused] = world.last.maps['config-defaults'].warnings;
      expect(deprecated).to.contain('deprecated');
      expect(unused).to.contain('not used');
      await settle();
      world.apply('config-events', { sink: sinkB });
      expect(world.heard().filter((line) => line.includes('not used'))).to.have.length(1);
      await settle();
      world.apply('config-events', {});
      expect(world.last.maps['config-defaults'].warnings).to.deep.equal([deprecated]);
      await settle();
      world.apply('config-events', { sink: sinkB });
      expect(world.heard().filter((line) => line.includes('not used'))).to.have.length(1);
    });

    it('is paused for a minute when config-events is deleted, then none', async () => {
      await world.start();
      world.listAll({ 'config-events': { sink: sinkA } });
      await settle();
      const saves = world.saved.length;
      world.heard();
      world.delete('config-events');
      expect(world.last.sink).to.deep.equal({ state: 'paused' });
      expect(world.last.maps['config-events']).to.deep.include({ source: 'last-good', resourceVersion: undefined });
      expect(world.saved).to.have.length(saves);
      await world.clock.tickAsync(59_999);
      expect(world.last.sink).to.deep.equal({ state: 'paused' });
      expect(world.heard()).to.deep.equal([]);
      await world.clock.tickAsync(1);
      expect(world.last.sink).to.deep.equal({ state: 'none' });
      expect(world.last.maps['config-events'].source).to.equal('default');
      expect(world.saved.at(-1)).to.deep.equal(['config-events', {}]);
      expect(world.heard()).to.deep.equal(['config-events applied default at 1060200']);
    });

    it('falls back to the deprecated sink only after the pause', async () => {
      await world.start();
      world.listAll({ 'config-events': { sink: sinkA }, 'config-defaults': { 'default-cloud-events-sink': sinkB } });
      await settle();
      world.delete('config-events');
      expect(world.last.sink).to.deep.equal({ state: 'paused' });
      await world.clock.tickAsync(60_000);
      expect(world.last.sink).to.deep.equal({ state: 'sink', url: sinkB });
    });

    it('comes back with a map that is made again within the pause, and stays', async () => {
      await world.start();
      world.listAll({ 'config-events': { sink: sinkA } });
      await settle();
      world.delete('config-events');
      await world.clock.tickAsync(30_000);
      world.apply('config-events', { sink: sinkB });
      expect(world.last.sink).to.deep.equal({ state: 'sink', url: sinkB });
      await world.clock.tickAsync(60_000);
      expect(world.last.sink).to.deep.equal({ state: 'sink', url: sinkB });
    });

    it('is the last good one when the map is made again with a problem', async () => {
      await world.start();
      world.listAll({ 'config-events': { sink: sinkA } });
      await settle();
      world.delete('config-events');
      await settle();
      world.apply('config-events', { sink: sinkB, formats: '' });
      expect(world.last.sink).to.deep.equal({ state: 'sink', url: sinkA });
      await world.clock.tickAsync(120_000);
      expect(world.last.sink).to.deep.equal({ state: 'sink', url: sinkA });
    });

    it('is none at once when the map is there and names none', async () => {
      await world.start();
      world.listAll({ 'config-events': { sink: sinkA } });
      await settle();
      world.apply('config-events', { formats: 'svcv1' });
      expect(world.last.sink).to.deep.equal({ state: 'none' });
    });

    it('is not paused by the deletion of a map that named none', async () => {
      await world.start();
      world.listAll({ 'config-events': {}, 'config-defaults': { 'default-cloud-events-sink': sinkB } });
      await settle();
      world.delete('config-events');
      expect(world.last.sink).to.deep.equal({ state: 'sink', url: sinkB });
    });

    it('is paused in the same way when the map with the deprecated sink is deleted', async () => {
      await world.start();
      world.listAll({ 'config-defaults': { 'default-cloud-events-sink': sinkB } });
      await settle();
      world.delete('config-defaults');
      expect(world.last.sink).to.deep.equal({ state: 'paused' });
      await world.clock.tickAsync(60_000);
      expect(world.last.sink).to.deep.equal({ state: 'none' });
    });

    it('is paused at a start that finds the map gone which had a sink before', async () => {
      await world.start({ 'config-events': { sink: sinkA } });
      world.listAll();
      expect(world.last.sink).to.deep.equal({ state: 'paused' });
      await world.clock.tickAsync(60_000);
      expect(world.last.sink).to.deep.equal({ state: 'none' });
    });

    it('holds for as long as it is told to', async () => {
      await world.start({}, { holdSinkMs: 10 });
      world.listAll({ 'config-events': { sink: sinkA } });
      await settle();
      world.delete('config-events');
      await world.clock.tickAsync(10);
      expect(world.last.sink).to.deep.equal({ state: 'none' });
    });
  });

  describe('with an API server that refuses', () => {
    it('starts from the kept texts once the wait is over, with defaults for the rest', async () => {
      await world.start({ 'config-events': { sink: sinkA } });
      world.list('feature-flags', { 'send-cloudevents-for-runs': 'true' });
      world.giveUp$.next();
      await settle();
      expect(world.last.sink).to.deep.equal({ state: 'sink', url: sinkA });
      expect(world.last.maps['config-events'].source).to.equal('last-good');
      expect(world.last.maps['config-observability'].source).to.equal('default');
      expect(world.last.maps['feature-flags'].source).to.equal('map');
      expect(world.last.settings['feature-flags'].sendCloudEventsForRuns).to.equal(true);
      expect(world.heard()).to.deep.equal(['feature-flags applied map at 1000000']);
      const states = world.states.length;
      world.giveUp$.next();
      await settle();
      expect(world.states).to.have.length(states);
    });

    it('takes the maps as they are when they can be read after all', async () => {
      await world.start({ 'config-events': { sink: sinkA } });
      world.giveUp$.next();
      await settle();
      world.list('config-events', { sink: sinkB });
      expect(world.last.sink).to.deep.equal({ state: 'sink', url: sinkB });
      expect(world.last.maps['config-events'].source).to.equal('map');
    });

    it('waits on when the kept texts cannot be read either, and asks again', async () => {
      world.loads = [() => Promise.reject(new Error('no')), () => Promise.reject(new Error('still no'))];
      await world.start({ 'config-events': { sink: sinkA } });
      world.giveUp$.next();
      await settle();
      expect(world.states).to.deep.equal([]);
      expect(world.heard()).to.deep.equal(['load failed: Error: no', 'load failed: Error: still no']);
      world.giveUp$.next();
      await settle();
      expect(world.last.sink).to.deep.equal({ state: 'sink', url: sinkA });
    });

    it('does without the kept texts when they cannot be read but the maps can', async () => {
      await world.start(new Error('forbidden'), { giveUpWaiting$: NEVER });
      world.listAll({ 'config-observability': { 'metrics.taskrun.level': 'pod' } });
      expect(world.last.maps['config-observability'].source).to.equal('default');
      expect(world.told[0]).to.equal('load failed: Error: forbidden');
    });
  });

  it('takes the first and the last of a burst of edits, within 100 ms', async () => {
    await world.start();
    world.listAll();
    await settle();
    const before = world.states.length;
    for (let limit = 100; limit < 150; limit += 1) {
      world.apply('config-observability', { 'metrics.series-limit': String(limit) });
    }
    await world.clock.tickAsync(100);
    const limits = world.states.slice(before).map(({ settings }) => settings['config-observability'].seriesLimit);
    expect(limits).to.deep.equal([100, 149]);
  });

  it('is not starved by edits that never stop', async () => {
    await world.start();
    world.listAll();
    await settle();
    for (let limit = 100; limit < 200; limit += 1) {
      world.apply('config-observability', { 'metrics.series-limit': String(limit) });
      await world.clock.tickAsync(50);
    }
    expect(world.states.length).to.be.within(40, 60);
  });

  it('ends its watches and timers with its subscription', async () => {
    const subscription = await world.start();
    world.listAll({ 'config-events': { sink: sinkA } });
    await settle();
    world.delete('config-events');
    subscription.unsubscribe();
    expect(mapNames.filter((name) => world.watches[name].observed)).to.deep.equal([]);
    expect(world.giveUp$.observed).to.equal(false);
    expect(world.clock.countTimers()).to.equal(0);
  });

  it('passes the error of a watch through', async () => {
    await world.start();
    world.watches['config-events'].error(new Error('bug'));
    expect(world.error).to.be.an('error').with.property('message', 'bug');
  });

  it('stays as it is when a watch completes', async () => {
    await world.start();
    world.listAll({ 'config-events': { sink: sinkA } });
    world.watches['config-events'].complete();
    await settle();
    world.apply('feature-flags', { 'send-cloudevents-for-runs': 'true' });
    expect(world.last.sink).to.deep.equal({ state: 'sink', url: sinkA });
    expect(world.last.settings['feature-flags'].sendCloudEventsForRuns).to.equal(true);
  });
});
