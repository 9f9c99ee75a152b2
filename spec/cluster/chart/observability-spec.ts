import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { catalogue } from '../../../lib/metrics/catalogue.ts';
import { ownMetrics } from '../../../lib/metrics/own.ts';
import { profiles } from '../../../lib/profile.ts';
import { chartDir } from '../../../scripts/chart/generated.ts';
import { type AlertCase, checkRules, metricsIn, promtoolVerdict, renderedRules } from './support/alerts.ts';

const { metricPrefix } = profiles.svc;
const runbooks = join(chartDir, '../../docs/runbooks');

/** Every name that a scrape may show, without the prefix. */
const scraped = new Set(
  [...catalogue, ...ownMetrics].flatMap(({ name, type }) =>
    type === 'histogram' || type === 'duration' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
);

const series = (name: string, labels = '') => `${metricPrefix}${name}{namespace="svc-pipelines"${labels}}`;
const of = (label: string, value: string) => `,${label}="${value}"`;
const namespace = 'svc-pipelines';

const up = { [series('build_info')]: '1+0x100' };
const watched = {
  [series('resource_available', of('resource', 'taskruns'))]: '1+0x100',
  [series('resource_synced', of('resource', 'taskruns'))]: '1+0x100',
  [series('resource_available', of('resource', 'customruns'))]: '1+0x100',
  [series('resource_synced', of('resource', 'customruns'))]: '0+0x100',
};
const failing = {
  [series('event_delivery_attempts_total', of('result', '5xx'))]: '0+10x100',
  [series('event_delivery_attempts_total', of('result', '2xx'))]: '0+0x100',
};

const cases: readonly AlertCase[] = [
  { alert: 'ControllerDown', series: up, at: '10m', firing: [] },
  { alert: 'ControllerDown', series: {}, at: '10m', firing: [{ namespace }] },
  { alert: 'ControllerNoLeader', series: watched, at: '10m', firing: [] },
  {
    alert: 'ControllerNoLeader',
    series: {
      [series('resource_synced', of('resource', 'taskruns'))]: '0+0x100',
      [series('resource_synced', of('resource', 'config-events'))]: '1+0x100',
    },
    at: '10m',
    firing: [{ namespace }],
  },
  { alert: 'ControllerWatchNotSynced', series: watched, at: '10m', firing: [{ namespace, resource: 'customruns' }] },
  {
    alert: 'ControllerWatchNotSynced',
    series: { ...watched, [series('resource_available', of('resource', 'customruns'))]: '0+0x100' },
    at: '10m',
    firing: [],
  },
  {
    alert: 'ControllerWatchSilent',
    series: { ...watched, [series('watch_last_contact_timestamp_seconds', of('resource', 'taskruns'))]: '60+0x100' },
    at: '10m',
    firing: [{ namespace, resource: 'taskruns' }],
  },
  {
    alert: 'ControllerWatchSilent',
    series: { ...watched, [series('watch_last_contact_timestamp_seconds', of('resource', 'taskruns'))]: '60+30x100' },
    at: '10m',
    firing: [],
  },
  {
    alert: 'ControllerSinkFailing',
    series: { ...failing, [series('event_deliveries_total')]: '0+0x100' },
    at: '20m',
    firing: [{ namespace }],
  },
  {
    alert: 'ControllerSinkFailing',
    series: { ...failing, [series('event_deliveries_total')]: '0+1x100' },
    at: '20m',
    firing: [],
  },
  {
    alert: 'ControllerEventsDelayed',
    series: { [series('event_oldest_unsent_seconds')]: '0+30x100' },
    at: '40m',
    firing: [{ namespace, value: '40m 0s' }],
  },
  {
    alert: 'ControllerEventsDelayed',
    series: { [series('event_oldest_unsent_seconds')]: '2+0x100' },
    at: '40m',
    firing: [],
  },
  {
    alert: 'ControllerEventsDropped',
    series: {
      [series('event_drops_total', of('cause', 'gave-up'))]: '0x60 1x90',
      [series('event_drops_total', of('cause', 'queue-full'))]: '0+0x100',
      [series('event_drops_total', of('cause', 'sink-removed'))]: '0x60 9x90',
      // Before the first scrape of a process that has just started.
      [series('event_drops_total', of('cause', 'history-lost'))]: '_x59 7+0x100',
      [series('event_drops_total', of('cause', 'unencodable'))]: '7+0x100',
    },
    at: '35m',
    firing: [
      { namespace, cause: 'gave-up' },
      { namespace, cause: 'history-lost' },
    ],
  },
  {
    alert: 'ControllerChangesMissed',
    series: {
      [series('missed_versions_unread_total', of('resource', 'taskruns'))]: '0x60 7x90',
      [series('missed_versions_unread_total', of('resource', 'pipelineruns'))]: '_x59 7+0x100',
      [series('missed_versions_unread_total', of('resource', 'customruns'))]: '7+0x100',
    },
    at: '35m',
    firing: [
      { namespace, resource: 'pipelineruns' },
      { namespace, resource: 'taskruns' },
    ],
  },
  {
    alert: 'ControllerQueueNearLimit',
    series: {
      [series('event_queue_length')]: '10+0x100',
      [series('event_queue_limit')]: '100+0x100',
      [series('event_queue_bytes')]: '90+0x100',
      [series('event_queue_limit_bytes')]: '100+0x100',
    },
    at: '10m',
    firing: [{ namespace, value: '90%' }],
  },
  {
    alert: 'ControllerConfigRefused',
    series: {
      [series('config_valid', of('map', 'config-events'))]: '1x4 0x90',
      [series('config_valid', of('map', 'feature-flags'))]: '1+0x100',
    },
    at: '10m',
    firing: [{ namespace, map: 'config-events' }],
  },
  {
    alert: 'ControllerSeriesOverflow',
    series: { [series('series_overflow_total', of('metric', 'taskrun_total'))]: '1+1x100' },
    at: '10m',
    firing: [{ namespace, metric: 'taskrun_total' }],
  },
  {
    alert: 'ControllerKubernetesEventsFailing',
    series: {
      [series('kubernetes_events_total', of('outcome', 'forbidden'))]: '0+1x100',
      [series('kubernetes_events_total', of('outcome', 'written'))]: '0+1x100',
    },
    at: '30m',
    firing: [{ namespace, outcome: 'forbidden' }],
  },
];

describe('the alerts', () => {
  for (const one of cases) {
    const when = one.firing.length === 0 ? 'is quiet' : 'fires';
    it(`${one.alert} ${when} for ${JSON.stringify(one.series)}`, async () => {
      expect(await promtoolVerdict([one])).to.equal('');
    });
  }

  it('have each fired above', async () => {
    const alerts = (await renderedRules()).groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    const fired = cases.filter(({ firing }) => firing.length > 0).map(({ alert }) => alert);

    expect([...new Set(fired)]).to.have.members(alerts);
  });

  it('ask for metrics that exist', async () => {
    const strays = metricsIn(JSON.stringify(await renderedRules()), metricPrefix).filter((name) => !scraped.has(name));
    // The group is named by the prefix and the namespace.
    expect(strays).to.deep.equal(['svc']);
  });

  it('say what to do: summary, severity and a page that exists', async () => {
    const rules = (await renderedRules()).groups.flatMap((group) => group.rules);

    for (const { alert, labels, annotations } of rules) {
      expect(annotations).to.include.keys('summary', 'description');
      expect(labels.severity).to.be.oneOf(['critical', 'warning']);
      expect(annotations.runbook_url).to.equal(`docs/runbooks/${alert}.md`);
      expect(existsSync(join(runbooks, `${alert}.md`)), alert).to.equal(true);
    }
    expect(readdirSync(runbooks)).to.have.members(rules.map(({ alert }) => `${alert}.md`));
  });

  it('have pages that name metrics that exist', () => {
    for (const page of readdirSync(runbooks)) {
      const names = metricsIn(readFileSync(join(runbooks, page), 'utf8'), metricPrefix);
      expect(
        names.filter((name) => !scraped.has(name)),
        page,
      ).to.deep.equal([]);
    }
  });
});

describe('the dashboard', () => {
  const text = readFileSync(join(chartDir, 'dashboards/runs.json'), 'utf8');
  const { panels } = JSON.parse(text) as {
    readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
  };
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

  it('shows every metric of the interface', () => {
    const shown = metricsIn(queries.join('\n'), metricPrefix).map((name) => name.replace(/_bucket$/, ''));

    expect(shown).to.include.members(catalogue.map(({ name }) => name));
  });

  it('asks for metrics that exist', () => {
    expect(metricsIn(text, metricPrefix).filter((name) => !scraped.has(name))).to.deep.equal([]);
  });

  it('asks in valid PromQL', async () => {
    const rules = queries.map((expr, index) => ({ record: `query:${index}`, expr: filled(expr) }));
    const { code, stderr } = await checkRules({ groups: [{ name: 'dashboard', rules }] });

    expect(code, stderr).to.equal(0);
  });
});

/** A query with Grafana's variables replaced, as Prometheus would get it. */
function filled(expr: string): string {
  return expr.replace(/\$__\w+/g, '5m').replace(/\$namespace/g, '.*');
}
