import type { Profile } from '../../lib/profile.ts';
import type { ObservabilitySettings } from '../settings.ts';
import type { Findings } from './map-schema.ts';

const pushing: ReadonlySet<string> = new Set(['grpc', 'http/protobuf']);

/** A protocol that pushes needs to know where to. */
const targets = [
  { what: 'metrics', protocol: 'metricsProtocol', endpoint: 'metricsEndpoint' },
  { what: 'tracing', protocol: 'tracingProtocol', endpoint: 'tracingEndpoint' },
] as const;

/** Durations of single runs: a histogram of one run has a single bar (interface document, section 2.2). */
const durations = [
  { what: 'taskrun', level: 'taskrunLevel', type: 'taskrunDurationType' },
  { what: 'pipelinerun', level: 'pipelinerunLevel', type: 'pipelinerunDurationType' },
] as const;

/** What the keys of `config-observability` say together: endpoints that miss, histograms that cannot be. */
export function observabilityFindings(
  settings: ObservabilitySettings,
  given: ReadonlySet<string>,
  profile: Profile,
): Findings {
  const problems = targets
    .filter((target) => pushing.has(settings[target.protocol]) && settings[target.endpoint] === undefined)
    .map(
      ({ what, protocol }) =>
        `${what}-endpoint: expected host:port, http://host:port or https://host:port because ${what}-protocol is ` +
        `${settings[protocol]}, got nothing`,
    );
  if (profile.behaviour.runLevelDuration === 'histogram') return { problems, warnings: [] };
  const warnings = durations
    .filter(({ what, level, type }) => {
      const chosen = given.has(`metrics.${what}.duration-type`);
      return chosen && settings[level] === what && settings[type] === 'histogram';
    })
    .map(
      ({ what }) =>
        `metrics.${what}.duration-type: histogram is not available at metrics.${what}.level ${what}, ` +
        'a gauge with the last duration is used',
    );
  return { problems, warnings };
}
