import type { RunOptions } from '../../config/process/run-options.ts';
import type { EmbeddedSandbox } from './embedded-sandbox.ts';
import type { RunningController } from './start-controller.ts';

interface Shown {
  readonly options: Pick<RunOptions, 'configNamespace'>;
  readonly sandbox: Pick<EmbeddedSandbox, 'url'>;
  readonly running: Pick<RunningController, 'metricsPort' | 'healthPort'>;
}

/** What a first look is told: what to open, and what to try next. */
export function firstLines({ options: { configNamespace }, sandbox, running }: Shown): string[] {
  const map = `${sandbox.url}/api/v1/namespaces/${configNamespace}/configmaps/config-observability`;
  const patch = `{"data":{"metrics.taskrun.level":"namespace"}}`;
  return [
    '',
    'A cluster of its own, runs that come and go, and a sink that prints the CloudEvents that follow:',
    `  metrics   curl -s http://localhost:${running.metricsPort}/metrics`,
    `  status    http://localhost:${running.healthPort}/`,
    `  runs      kubectl get taskruns -w --server ${sandbox.url}`,
    '',
    'Try next: take the task label away, and look at the metrics again:',
    `  curl -s -X PATCH -H 'Content-Type: application/merge-patch+json' ${map} -d '${patch}'`,
    '',
  ];
}
