import type { SettingLine } from '../../config/setting-lines.ts';
import { mapNames } from '../../config/settings.ts';
import type { SettingsState } from '../../config/settings-state.ts';
import type { Health, HealthCheck, ShownExporter, ShownMap, ShownSetting } from '../../lib/io/servers/health.ts';
import type { Role } from '../../lib/leader/lease.ts';
import type { SyncState } from '../../lib/sync-state.ts';

/** What the controller knows of itself, for the pages that say how it is. */
export interface Status {
  role: Role;
  settings: SettingsState | undefined;
  sync: SyncState | undefined;
  /** Keys of the watches, in the order they are shown. */
  watches: readonly string[];
  /** Every setting in force. */
  lines: readonly SettingLine[];
  /** What became of the protocols that the settings ask for. */
  exporters: () => readonly ShownExporter[];
}

const roleReasons: Readonly<Record<Role, string>> = {
  leading: 'leading',
  lapsed: 'the lease could not be renewed in time',
  standby: 'standing by, another replica leads',
};

/** The controller's health, from memory alone: settings read, and every watch listed while we lead. */
export function healthOf(status: Status, facts: Readonly<Record<string, string>>): Health {
  return {
    checks: [
      settingsCheck(status),
      { name: 'leader', ok: true, reason: roleReasons[status.role] },
      ...watchChecks(status),
    ],
    notes: [...notesOf(status.settings), ...status.exporters().flatMap(({ problem }) => problem ?? [])],
    facts,
    settings: status.lines.map(shownSetting),
    maps: mapsOf(status.settings),
    exporters: status.exporters(),
  };
}

function settingsCheck({ settings }: Status): HealthCheck {
  return {
    name: 'settings',
    ok: settings !== undefined,
    reason: settings ? undefined : 'the config maps are not read yet',
  };
}

const watchReasons = {
  listed: 'listed and watched',
  absent: 'the API server does not have it',
  waiting: 'not listed yet',
};

function watchChecks({ role, sync, watches }: Status): HealthCheck[] {
  if (role === 'standby') return [];
  return watches.map((name) => {
    const state = sync?.state(name) ?? 'waiting';
    return { name, ok: state !== 'waiting', reason: watchReasons[state] };
  });
}

const time = (ms: number) => new Date(ms).toISOString();

function shownSetting({ sinceMs, resourceVersion, ...line }: SettingLine): ShownSetting {
  return { ...line, resourceVersion: resourceVersion ?? null, since: time(sinceMs) };
}

function mapsOf(settings: SettingsState | undefined): ShownMap[] {
  if (settings === undefined) return [];
  return mapNames.map((name) => {
    const { source, resourceVersion = null, sinceMs, refusedSinceMs, problems, warnings } = settings.maps[name];
    const refusedSince = refusedSinceMs === undefined ? null : time(refusedSinceMs);
    return { name, source, resourceVersion, since: time(sinceMs), refusedSince, problems, warnings };
  });
}

function notesOf(settings: SettingsState | undefined): string[] {
  if (settings === undefined) return [];
  return mapNames.flatMap((name) => {
    const { problems, warnings, source } = settings.maps[name];
    const stays = `refused, ${source === 'last-good' ? 'the last good text' : 'what was before'} stays in force`;
    return [
      ...problems.map((problem) => `${name}: ${problem} (${stays})`),
      ...warnings.map((one) => `${name}: ${one}`),
    ];
  });
}
