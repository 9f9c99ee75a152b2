import { expect } from 'chai';
import { defaultSettings } from '../../config/default-settings.ts';
import { nextSettingLines, type SettingLine } from '../../config/setting-lines.ts';
import { mapNames, type Settings } from '../../config/settings.ts';
import type { MapStatus, SettingsState } from '../../config/settings-state.ts';
import { profiles } from '../../lib/profile.ts';

const quiet: MapStatus = {
  source: 'default',
  resourceVersion: undefined,
  problems: [],
  warnings: [],
  sinceMs: 1,
  refusedSinceMs: undefined,
};
const defaults = defaultSettings(profiles.svc);

function state(
  status: Partial<MapStatus> = {},
  changed: Partial<Settings['config-observability']> = {},
): SettingsState {
  const maps = Object.fromEntries(mapNames.map((name) => [name, quiet])) as SettingsState['maps'];
  return {
    settings: { ...defaults, 'config-observability': { ...defaults['config-observability'], ...changed } },
    sink: { state: 'none' },
    maps: { ...maps, 'config-observability': { ...quiet, ...status } },
  };
}

/** The lines after these states, one after the other. */
function linesAfter(...states: SettingsState[]): (key: string) => SettingLine | undefined {
  const lines = states.reduce<readonly SettingLine[]>((before, one) => nextSettingLines(before, one, profiles.svc), []);
  return (key) => lines.find((line) => line.key === key);
}

const level = 'metrics.taskrun.level';
const edited = (resourceVersion: string, sinceMs: number) => ({ source: 'map', resourceVersion, sinceMs }) as const;
const byNamespace = { taskrunLevel: 'namespace' } as const;

describe('nextSettingLines', () => {
  it('has a line for each key of the four maps', () => {
    const lines = nextSettingLines([], state(), profiles.svc);
    expect(new Set(lines.map(({ map }) => map))).to.deep.equal(new Set(mapNames));
    expect(lines).to.have.length(21);
  });

  it('says values as a config map would', () => {
    const line = linesAfter(
      state(
        {},
        { metricsExportIntervalMs: 90_000, runtimeProfiling: true, tracingSamplingRate: 0.5, seriesLimit: 100 },
      ),
    );
    const keys = ['metrics-export-interval', 'runtime-profiling', 'tracing-sampling-rate', 'metrics.series-limit'];
    expect(keys.map((key) => line(key)?.value)).to.deep.equal(['1m30s', 'enabled', '0.5', '100']);
    expect(line('metrics-endpoint')?.value).to.equal('none');
    expect(line('formats')?.value).to.equal('svcv1');
  });

  it('says of a sink only that it is set', () => {
    const given = state();
    const sink = 'http://user:secret@sink.test/path';
    const settings = { ...given.settings, 'config-events': { formats: ['svcv1'], sink } };
    expect(linesAfter({ ...given, settings })('sink')?.value).to.equal('set');
  });

  it('says which version brought a value, and when', () => {
    expect(linesAfter(state(), state(edited('7', 20), byNamespace))(level)).to.deep.equal({
      map: 'config-observability',
      key: level,
      value: 'namespace',
      source: 'map',
      resourceVersion: '7',
      sinceMs: 20,
    });
  });

  it('keeps version and time of a value that the next version leaves as it is', () => {
    const line = linesAfter(
      state(edited('7', 20), byNamespace),
      state(edited('8', 30), { ...byNamespace, countEnableReason: true }),
    );
    expect(line(level)).to.deep.include({ resourceVersion: '7', sinceMs: 20 });
    expect(line('metrics.count.enable-reason')).to.deep.include({ resourceVersion: '8', sinceMs: 30 });
  });

  it('keeps what it says of a map whose next version is refused', () => {
    const refused = { source: 'last-good', resourceVersion: '8', sinceMs: 20, problems: ['bad'] } as const;
    const line = linesAfter(state(edited('7', 20), byNamespace), state(refused, byNamespace));
    expect(line(level)).to.deep.include({ source: 'map', resourceVersion: '7', sinceMs: 20 });
  });

  it('names no version for what an earlier process kept, while the map is refused', () => {
    const refused = { source: 'last-good', resourceVersion: '8', sinceMs: 20, problems: ['bad'] } as const;
    expect(linesAfter(state(refused, byNamespace))(level)).to.deep.include({
      source: 'last-good',
      resourceVersion: undefined,
    });
  });

  it('names another source with the old time when a map goes or comes and the value stays', () => {
    const line = linesAfter(state(edited('7', 20)), state({ sinceMs: 40 }));
    expect(line(level)).to.deep.include({ source: 'default', resourceVersion: undefined, sinceMs: 20 });
  });
});
