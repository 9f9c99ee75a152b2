import { expect } from 'chai';
import { defaultSettings } from '../../../config/default-settings.ts';
import type { SettingsState } from '../../../config/settings-state.ts';
import { createSyncState } from '../../../lib/sync-state.ts';
import { healthOf, type Status } from '../../../streams/wiring/status.ts';
import { svc } from '../../support/runs.ts';

type MapStatus = SettingsState['maps']['feature-flags'];

const byDefault: MapStatus = {
  source: 'default',
  resourceVersion: undefined,
  problems: [],
  warnings: [],
  sinceMs: 0,
  refusedSinceMs: undefined,
};

function settings(maps: Partial<SettingsState['maps']> = {}): SettingsState {
  const all = {
    'config-observability': byDefault,
    'config-events': byDefault,
    'config-defaults': byDefault,
    'feature-flags': byDefault,
    ...maps,
  };
  return { settings: defaultSettings(svc), sink: { state: 'none' }, maps: all };
}

function health(given: Partial<Status> = {}) {
  const status: Status = {
    role: 'leading',
    settings: settings(),
    sync: undefined,
    watches: [],
    lines: [],
    exporters: () => [],
    ...given,
  };
  return healthOf(status, { version: '1' });
}

describe('healthOf', () => {
  it('waits for the config maps', () => {
    const { checks, notes, maps } = health({ settings: undefined });
    expect(checks[0]).to.deep.equal({ name: 'settings', ok: false, reason: 'the config maps are not read yet' });
    expect({ notes, maps }).to.deep.equal({ notes: [], maps: [] });
    expect(health().checks[0]).to.deep.equal({ name: 'settings', ok: true, reason: undefined });
  });

  for (const [role, reason] of [
    ['leading', 'leading'],
    ['lapsed', 'the lease could not be renewed in time'],
    ['standby', 'standing by, another replica leads'],
  ] as const) {
    it(`is ready while ${role}, and says so`, () => {
      expect(health({ role }).checks[1]).to.deep.equal({ name: 'leader', ok: true, reason });
    });
  }

  it('shows how each watch stands while it leads', () => {
    const sync = createSyncState([]);
    sync.set('taskruns', 'listed');
    sync.set('customruns', 'absent');
    const { checks } = health({ sync, watches: ['taskruns', 'pipelineruns', 'customruns'] });
    expect(checks.slice(2)).to.deep.equal([
      { name: 'taskruns', ok: true, reason: 'listed and watched' },
      { name: 'pipelineruns', ok: false, reason: 'not listed yet' },
      { name: 'customruns', ok: true, reason: 'the API server does not have it' },
    ]);
  });

  it('waits for watches that have not begun', () => {
    expect(health({ watches: ['taskruns'] }).checks[2]).to.deep.equal({
      name: 'taskruns',
      ok: false,
      reason: 'not listed yet',
    });
  });

  it('waits for no watch while another replica leads', () => {
    expect(health({ role: 'standby', watches: ['taskruns'] }).checks).to.have.length(2);
  });

  it('says what is wrong with a config map, and what stays in force', () => {
    const refused = { ...byDefault, problems: ['sink: expected a URL'], refusedSinceMs: 1000, resourceVersion: '7' };
    const { notes, maps } = health({
      settings: settings({
        'config-events': { ...refused, source: 'last-good' },
        'config-defaults': refused,
        'feature-flags': { ...byDefault, warnings: ['no such flag'] },
      }),
    });
    expect(notes).to.deep.equal([
      'config-events: sink: expected a URL (refused, the last good text stays in force)',
      'config-defaults: sink: expected a URL (refused, what was before stays in force)',
      'feature-flags: no such flag',
    ]);
    expect(maps?.[1]).to.deep.equal({
      name: 'config-events',
      source: 'last-good',
      resourceVersion: '7',
      since: '1970-01-01T00:00:00.000Z',
      refusedSince: '1970-01-01T00:00:01.000Z',
      problems: ['sink: expected a URL'],
      warnings: [],
    });
    expect(maps?.[0]).to.include({ resourceVersion: null, refusedSince: null });
  });

  it('shows every setting with its origin', () => {
    const line = { map: 'config-events', key: 'sink', value: 'set', source: 'map', sinceMs: 2000 } as const;
    const { settings: shown } = health({
      lines: [
        { ...line, resourceVersion: '7' },
        { ...line, resourceVersion: undefined },
      ],
    });
    const { sinceMs: _, ...same } = line;
    expect(shown).to.deep.equal([
      { ...same, resourceVersion: '7', since: '1970-01-01T00:00:02.000Z' },
      { ...same, resourceVersion: null, since: '1970-01-01T00:00:02.000Z' },
    ]);
  });

  it('notes what an exporter could not do', () => {
    const well = { signal: 'metrics', protocol: 'prometheus', since: '', problem: null };
    const ill = { signal: 'traces', protocol: 'none', since: '', problem: 'no endpoint' };
    const { notes, exporters, facts } = health({ exporters: () => [well, ill] });
    expect(notes).to.deep.equal(['no endpoint']);
    expect(exporters).to.deep.equal([well, ill]);
    expect(facts).to.deep.equal({ version: '1' });
  });
});
