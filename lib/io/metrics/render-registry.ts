import { setImmediate as turn } from 'node:timers/promises';
import type { Metric, Registry } from 'prom-client';
import { endings, type Format, formatHeader, formatLine, histogramWriter } from '../../metrics/exposition.ts';
import { WalkableHistogram } from './walkable-histogram.ts';

/** Characters after which a chunk is handed over and the event loop gets a turn: about 1 ms of work. */
const chunkLength = 65_536;

/**
 * The exposition of a registry, in chunks, the event loop turning between them.
 *
 * The metrics are those registered at the first chunk: one replaced meanwhile is finished in its old shape, so that
 * label shapes never mix. Order is by name.
 */
export async function* renderRegistry(registry: Registry, format: Format): AsyncGenerator<string, void, undefined> {
  let chunk = '';
  for (const metric of metricsOf(registry)) {
    for (const text of await textsOf(metric, format)) {
      chunk += text;
      if (chunk.length < chunkLength) continue;
      yield chunk;
      chunk = '';
      await turn();
    }
  }
  yield chunk + endings[format];
}

function metricsOf(registry: Registry): readonly Metric[] {
  const names = registry.getMetricsAsArray().map(({ name }) => name);
  return names.sort().flatMap((name) => registry.getSingleMetric(name) ?? []);
}

async function textsOf(metric: Metric, format: Format): Promise<Iterable<string>> {
  return metric instanceof WalkableHistogram ? histogramTexts(metric, format) : lineTexts(await metric.get(), format);
}

function* histogramTexts(metric: WalkableHistogram, format: Format): Generator<string> {
  const { name, help, upperBounds } = metric;
  yield formatHeader({ name, help, type: 'histogram' }, format);
  const write = histogramWriter(name, upperBounds, format);
  for (const series of metric.series()) yield write(series, metric.exemplarsOf(series));
}

function* lineTexts(read: Awaited<ReturnType<Metric['get']>>, format: Format): Generator<string> {
  // The typings call it a number; it is the word.
  const family = { name: read.name, help: read.help, type: String(read.type) };
  yield formatHeader(family, format);
  for (const value of read.values) {
    const name = 'metricName' in value ? value.metricName : undefined;
    yield formatLine(family, { name, labels: value.labels, value: value.value }, format);
  }
}
