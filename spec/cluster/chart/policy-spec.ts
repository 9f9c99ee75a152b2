import { expect } from 'chai';
import { parseMap } from '../../../config/parse-map.ts';
import type { MapName } from '../../../config/settings.ts';
import { profiles } from '../../../lib/profile.ts';
import { binaryOf } from '../../../scripts/cluster/tools.ts';
import { createNamespace } from '../requests.ts';
import { runCommand } from '../run-command.ts';
import { sharedCluster } from '../suite.ts';
import { until } from '../until.ts';
import { renderText } from './support/helm.ts';

const namespace = 'policy';

type Data = Readonly<Record<string, string>>;

/** Edits of one map: what the policy says to each must be what the controller would log. */
const edits: Readonly<Record<MapName, readonly Data[]>> = {
  'config-observability': [
    {},
    { _example: 'anything: at all' },
    { 'metrics-protocol': 'statsd' },
    { 'metrics-protocol': 'grpc' },
    { 'metrics-protocol': 'grpc', 'metrics-endpoint': '' },
    { 'metrics-protocol': 'grpc', 'metrics-endpoint': 'collector:4317' },
    { 'metrics-protocol': 'http/protobuf', 'metrics-endpoint': 'https://[::1]:4318' },
    { 'metrics-protocol': 'grpc', 'metrics-endpoint': 'collector' },
    { 'metrics-endpoint': 'collector:65536' },
    { 'metrics-endpoint': 'collector:4317/v1/metrics' },
    { 'metrics-endpoint': 'https://user:secret@collector:4317' },
    { 'metrics-export-interval': '30s' },
    { 'metrics-export-interval': '1m30s' },
    { 'metrics-export-interval': '500ms' },
    { 'metrics-export-interval': '24h' },
    { 'metrics-export-interval': '24h1ms' },
    { 'metrics-export-interval': '99ms' },
    { 'metrics-export-interval': '5x' },
    { 'metrics-export-interval': '30' },
    { 'metrics-export-interval': '1s1m' },
    { 'metrics.taskrun.level': 'pod' },
    { 'metrics.taskrun.level': 'namespace' },
    { 'metrics.taskrun.duration-type': 'Histogram' },
    { 'metrics.pipelinerun.level': '' },
    { 'metrics.pipelinerun.duration-type': 'lastvalue' },
    { 'metrics.running-pipelinerun.level': '' },
    { 'metrics.running-pipelinerun.level': 'cluster' },
    { 'metrics.count.enable-reason': 'False' },
    { 'metrics.taskrun.throttle.enable-namespace': 'yes' },
    { 'metrics.series-limit': '99' },
    { 'metrics.series-limit': '100' },
    { 'metrics.series-limit': '1000001' },
    { 'metrics.series-limit': '0x100' },
    { 'tracing-protocol': 'stdout' },
    { 'tracing-protocol': 'http/protobuf' },
    { 'tracing-protocol': 'zipkin' },
    { 'tracing-endpoint': 'collector:0' },
    { 'tracing-sampling-rate': '1.5' },
    { 'tracing-sampling-rate': '1.0' },
    { 'tracing-sampling-rate': '0.25' },
    { 'runtime-profiling': 'true' },
    { 'runtime-export-interval': '' },
    { 'runtime-export-interval': 'soon' },
    { 'metrics.taskrun.level': 'http://token@host/' },
    { 'metrics.taskrun.level': `"${'x'.repeat(100)}` },
    { 'metrics.taskrun.level': 'pod', 'tracing-protocol': 'grpc', 'tracing-sampling-rate': '2' },
    { 'metrics.taskrun.levle': 'task' },
  ],
  'config-events': [
    { formats: 'svcv1' },
    { formats: 'svcv1, svcv1' },
    { formats: '' },
    { formats: 'svcv2' },
    { formats: 'svcv1,' },
    { sink: '' },
    { sink: 'https://user:secret@broker.example/runs?token=x' },
    { sink: 'HTTP://broker' },
    { sink: '/runs' },
    { sink: 'broker.example' },
    { sink: 'ftp://broker.example' },
    { sink: 'http://' },
    { sink: 'http://broker .example' },
    { sink: 'nowhere', formats: '' },
  ],
  'config-defaults': [
    { 'default-cloud-events-sink': 'http://broker' },
    { 'default-cloud-events-sink': 'broker' },
    { 'default-timeout-minutes': '60' },
  ],
  'feature-flags': [
    { 'send-cloudevents-for-runs': 'true' },
    { 'send-cloudevents-for-runs': 'True' },
    { 'enable-api-fields': 'stable' },
  ],
};

function kubectl(args: readonly string[], input: string) {
  return runCommand(binaryOf('kubectl'), [`--kubeconfig=${sharedCluster().kubeconfigFile}`, ...args], { input });
}

function configMap(name: string, data: Data, inNamespace = namespace): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: inNamespace }, data });
}

/** What `kubectl apply` would be told: the policy's words, or undefined when the edit is taken. */
async function refusal(name: string, data: Data, inNamespace = namespace): Promise<string | undefined> {
  const apply = await kubectl(['apply', '--dry-run=server', '-f', '-'], configMap(name, data, inNamespace));
  if (apply.code === 0) return undefined;
  const [, words] = / denied request: (.*)\n$/s.exec(apply.stderr) ?? [];
  if (words === undefined) throw new Error(`expected a refusal by the policy, got: ${apply.stderr}`);
  return words;
}

describe('the admission policy', () => {
  const kinds = /kind: ValidatingAdmissionPolicy(Binding)?$/m;

  before(async () => {
    await createNamespace(sharedCluster(), namespace);
    const documents = (await renderText({}, namespace)).split(/^---$/m).filter((text) => kinds.test(text));
    expect(documents).to.have.length(2);
    await kubectl(['apply', '-f', '-'], documents.join('---\n'));
    // The API server takes a new policy up within about a second.
    await until(async () => (await refusal('feature-flags', { 'send-cloudevents-for-runs': 'x' })) !== undefined, {
      what: 'the policy to be in force',
    });
  });

  after(async () => {
    await kubectl(['delete', 'validatingadmissionpolicies,validatingadmissionpolicybindings', '--all'], '');
  });

  for (const [map, candidates] of Object.entries(edits) as [MapName, readonly Data[]][]) {
    for (const data of candidates) {
      it(`judges ${map} ${JSON.stringify(data)} as the controller does`, async () => {
        const parsed = parseMap(map, data, profiles.svc);

        expect(await refusal(map, data)).to.equal(parsed.ok ? undefined : parsed.problems.join('; '));
      });
    }
  }

  it('leaves other config maps and other namespaces alone', async () => {
    const wrong = { 'metrics.taskrun.level': 'pod' };

    expect(await refusal('config-of-somebody', wrong)).to.equal(undefined);
    expect(await refusal('config-observability', wrong, 'default')).to.equal(undefined);
  });
});
