import type { MetricData, ResourceMetrics } from '@opentelemetry/sdk-metrics';

/**
 * The same metrics in parts of at most `size` points, in their order; a metric may be divided.
 *
 * Receivers written in Go refuse a gRPC message above 4 MiB unless told otherwise.
 */
export function* metricBatches(metrics: ResourceMetrics, size: number): Generator<ResourceMetrics> {
  for (const { scope, metrics: all } of metrics.scopeMetrics) {
    let part: MetricData[] = [];
    let room = size;
    for (const piece of all.flatMap((metric) => [...pieces(metric, size)])) {
      if (piece.dataPoints.length > room) {
        yield { resource: metrics.resource, scopeMetrics: [{ scope, metrics: part }] };
        part = [];
        room = size;
      }
      part.push(piece);
      room -= piece.dataPoints.length;
    }
    if (part.length > 0) yield { resource: metrics.resource, scopeMetrics: [{ scope, metrics: part }] };
  }
}

function* pieces(metric: MetricData, size: number): Generator<MetricData> {
  const { length } = metric.dataPoints;
  if (length <= size) {
    if (length > 0) yield metric;
    return;
  }
  for (let from = 0; from < length; from += size) {
    yield { ...metric, dataPoints: metric.dataPoints.slice(from, from + size) } as MetricData;
  }
}

/** How many points there are. */
export function countPoints(metrics: ResourceMetrics): number {
  const counts = metrics.scopeMetrics.flatMap((scope) => scope.metrics.map(({ dataPoints }) => dataPoints.length));
  return counts.reduce((total, one) => total + one, 0);
}
