import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createMeasure } from '../../../../lib/io/metrics/create-measure.ts';
import { renderRegistry } from '../../../../lib/io/metrics/render-registry.ts';
import { ownMetrics } from '../../../../lib/metrics/own.ts';
import { joined } from './harness.ts';

const page = (registry: Registry) => joined(renderRegistry(registry, 'text'));

describe('createMeasure', () => {
  it('registers every own metric under the prefix, with its type and its help', async () => {
    const registry = new Registry();
    createMeasure(registry, 'x_');
    const text = await page(registry);
    const missing = ownMetrics.filter(
      ({ name, type, help }) => !text.includes(`# HELP x_${name} ${help}\n# TYPE x_${name} ${type}\n`),
    );
    expect(missing).to.deep.equal([]);
  });

  it('has everything at 0 from the start', async () => {
    const registry = new Registry();
    createMeasure(registry, 'x_');
    const text = await page(registry);
    for (const line of [
      'x_event_deliveries_total 0',
      'x_event_drops_total{cause="queue-full"} 0',
      'x_config_valid{map="config-events"} 0',
      'x_watch_restarts_total{resource="taskruns",cause="expired"} 0',
      'x_event_delivery_lag_seconds_bucket{le="0.5"} 0',
      'x_event_delivery_lag_seconds_count 0',
    ]) {
      expect(text.split('\n')).to.include(line);
    }
  });

  it('counts, sets and observes', async () => {
    const registry = new Registry();
    const measure = createMeasure(registry, 'x_');
    measure.count('event_deliveries_total');
    measure.count('event_deliveries_total', {}, 4);
    measure.count('event_drops_total', { cause: 'gave-up' });
    measure.set('event_queue_length', 12);
    measure.set('config_valid', 1, { map: 'config-events' });
    measure.observe('list_duration_seconds', 0.2);
    const lines = (await page(registry)).split('\n');
    expect(lines).to.include.members([
      'x_event_deliveries_total 5',
      'x_event_drops_total{cause="gave-up"} 1',
      'x_event_queue_length 12',
      'x_config_valid{map="config-events"} 1',
      'x_list_duration_seconds_bucket{le="0.1"} 0',
      'x_list_duration_seconds_bucket{le="0.5"} 1',
      'x_list_duration_seconds_sum 0.2',
    ]);
  });
});
