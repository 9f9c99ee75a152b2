import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { describeKeys } from '../../../config/describe-keys.ts';
import { parseMap } from '../../../config/parse-map.ts';
import { parseProcessOptions } from '../../../config/process-options.ts';
import { mapNames } from '../../../config/settings.ts';
import { profiles } from '../../../lib/profile.ts';
import { generated } from '../../../scripts/chart/generated.ts';
import { crds } from '../crds.ts';
import { type Manifest, only, render } from './support/helm.ts';

interface PodSpec {
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly topologySpreadConstraints?: readonly unknown[];
  readonly terminationGracePeriodSeconds: number;
  readonly volumes?: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string; readonly defaultMode: number };
  }[];
  readonly containers: readonly {
    readonly args: readonly string[];
    readonly image: string;
    readonly securityContext: Readonly<Record<string, unknown>>;
    readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
    readonly livenessProbe: { readonly httpGet: unknown };
    readonly readinessProbe: { readonly httpGet: unknown };
  }[];
}

function podOf(workload: Manifest): PodSpec {
  const { template, ...job } = workload.spec as { readonly template?: { readonly spec: PodSpec } };
  return template === undefined ? (job as unknown as PodSpec) : template.spec;
}

function argsOf(workload: Manifest): readonly string[] {
  return podOf(workload).containers[0]?.args ?? [];
}

const dataOf = (map: Manifest) => map.data as Readonly<Record<string, string>>;

describe('what the chart renders', () => {
  for (const [file, text] of generated()) {
    it(`is up to date: ${file.slice(file.indexOf('svc-pipelines'))}`, () => {
      expect(readFileSync(file, 'utf8'), 'run node scripts/chart/generate.ts').to.equal(text);
    });
  }

  it('is the service that the interface names', async () => {
    const { metadata, spec } = only(await render(), 'Service');

    expect(metadata).to.include({ name: 'svc-pipelines-controller', namespace: 'svc-pipelines' });
    expect(spec).to.have.deep.nested.property('ports[0]', {
      name: 'http-metrics',
      port: 9090,
      targetPort: 'http-metrics',
    });
  });

  it('speaks the names of every profile', async () => {
    for (const { name, apiGroup, metricPrefix, eventFormat, component } of Object.values(profiles)) {
      const objects = await render({ profile: name, prometheusRule: { enabled: true } });
      const text = JSON.stringify(objects);
      expect(text).to.contain(`"apiGroups":["${apiGroup}"]`);
      expect(text).to.contain(`absent(${metricPrefix}build_info{`);
      expect(text).to.contain(`formats: \\"${eventFormat}\\"`);
      expect(text).to.contain(`"resourceNames":["${component}-last-good"]`);
    }
  });

  for (const { kind, command } of [
    { kind: 'StatefulSet', command: 'run' },
    { kind: 'Job', command: 'cleanup' },
  ]) {
    it(`starts the ${kind} with a command line that the controller takes`, async () => {
      const objects = await render({
        watchNamespaces: ['a'],
        bindAddress: '::',
        persistence: { enabled: true },
        metrics: { secure: true },
      });
      const argv = argsOf(only(objects, kind));
      const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };

      expect(parseProcessOptions({ argv, env, bare: 'cluster', readFile: () => '' })).to.include({ command });
    });
  }

  it('mounts each Secret where its flags say that it is, readable by the container alone', async () => {
    const sink = { authorizationSecret: 'a', caSecret: 'b', clientCertSecret: '1' };
    const values = { sink, metrics: { secure: true, tlsSecret: 'd' }, persistence: { enabled: true } };
    const pod = podOf(only(await render(values), 'StatefulSet'));
    const [{ volumeMounts = [], args = [] } = {}] = pod.containers;
    const given = args.filter((arg) => arg.includes('/etc/controller/'));

    expect(given).to.have.members([
      '--sink-authorization-file=/etc/controller/sink-authorization/authorization',
      '--sink-ca-file=/etc/controller/sink-ca/ca.crt',
      '--sink-client-cert-file=/etc/controller/sink-client/tls.crt',
      '--sink-client-key-file=/etc/controller/sink-client/tls.key',
      '--metrics-cert-file=/etc/controller/metrics-tls/tls.crt',
      '--metrics-key-file=/etc/controller/metrics-tls/tls.key',
    ]);
    const secrets = new Map(pod.volumes?.map(({ name, secret }) => [name, secret]));
    const mounted = volumeMounts.map(({ name, mountPath }) => [mountPath, secrets.get(name)?.secretName]);
    expect(Object.fromEntries(mounted)).to.deep.equal({
      '/etc/controller/sink-authorization': 'a',
      '/etc/controller/sink-ca': 'b',
      '/etc/controller/sink-client': '1',
      '/etc/controller/metrics-tls': 'd',
      '/data': undefined,
    });
    expect(new Set([...secrets.values()].map((secret) => secret?.defaultMode))).to.deep.equal(new Set([0o440]));
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    expect(parseProcessOptions({ argv: args, env, bare: 'cluster', readFile: () => '' })).to.include({
      command: 'run',
    });
  });

  for (const kind of ['Deployment', 'Job', 'Pod']) {
    it(`gives the ${kind} no right that it does not need`, async () => {
      const { securityContext, containers } = podOf(only(await render(), kind));

      expect(securityContext).to.deep.include({
        runAsNonRoot: true,
        runAsUser: 65_532,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(containers.map((container) => container.securityContext)).to.deep.equal([
        { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      ]);
    });
  }

  it('is probed on the health port', async () => {
    const [container] = podOf(only(await render(), 'Deployment')).containers;

    expect(container?.livenessProbe.httpGet).to.deep.equal({ path: '/healthz', port: 'http-health' });
    expect(container?.readinessProbe.httpGet).to.deep.equal({ path: '/readyz', port: 'http-health' });
  });

  it('spreads replicas, and has longer than the controller needs to stop', async () => {
    const pod = podOf(only(await render({ replicaCount: 2 }), 'Deployment'));

    expect(pod.topologySpreadConstraints).to.have.length(2);
    expect(pod.terminationGracePeriodSeconds).to.be.greaterThan(10);
  });

  it('names the image by digest where there is one', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const [container] = podOf(only(await render({ image: { digest, tag: '1' } }), 'Deployment')).containers;

    expect(container?.image).to.equal(`svc-pipelines-controller@${digest}`);
  });

  it('defines the three kinds as the specs do', async () => {
    const rendered = (await render({ crds: { install: true } })).filter(
      ({ kind }) => kind === 'CustomResourceDefinition',
    );
    const wanted = crds(profiles.svc).map(({ metadata, spec }) => ({ name: metadata.name, spec }));

    expect(rendered.map(({ metadata, spec }) => ({ name: metadata.name, spec }))).to.have.deep.members(wanted);
    for (const { metadata } of rendered) {
      expect(metadata.annotations).to.deep.include({ 'helm.sh/resource-policy': 'keep' });
    }
  });

  for (const map of mapNames) {
    it(`explains every key of ${map} in an example that could be its data`, async () => {
      const example = parse(dataOf(only(await render(), 'ConfigMap', map))._example ?? '');
      const keys = describeKeys(profiles.svc).filter((key) => key.map === map);

      expect(Object.keys(example)).to.deep.equal(keys.map(({ key }) => key));
      expect(parseMap(map, example, profiles.svc)).to.include({ ok: true });
    });
  }

  it('writes YAML numbers and booleans as texts', async () => {
    const observability = {
      'metrics.series-limit': 1_000_000,
      'metrics.count.enable-reason': true,
      'tracing-sampling-rate': 0.25,
    };
    const { _example, ...data } = dataOf(
      only(await render({ config: { observability } }), 'ConfigMap', 'observability'),
    );

    expect(data).to.deep.equal({
      'metrics.series-limit': '1000000',
      'metrics.count.enable-reason': 'true',
      'tracing-sampling-rate': '0.25',
    });
  });
});
