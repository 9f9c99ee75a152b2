import { expect } from 'chai';
import { sharedCluster } from '../suite.ts';
import { type Manifest, render } from './support/helm.ts';
import { type Release, releaseIn } from './support/release.ts';

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

const runs = ['taskruns', 'pipelineruns', 'customruns'];
const maps = ['config-observability', 'config-events', 'config-defaults', 'feature-flags'];

const runRules: readonly Rule[] = [
  { apiGroups: ['svc.dev'], resources: runs, verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
];

const configRules: readonly Rule[] = [
  { apiGroups: [''], resources: ['configmaps'], resourceNames: maps, verbs: ['list', 'watch'] },
  {
    apiGroups: [''],
    resources: ['configmaps'],
    resourceNames: ['svc-pipelines-controller-last-good'],
    verbs: ['get', 'update'],
  },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
];

const leaseRules: readonly Rule[] = [
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: ['svc-pipelines-controller'],
    verbs: ['get', 'update'],
  },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
];

/** Rules of every role that is not a hook, by `Kind namespace/name`. */
function rulesOf(objects: readonly Manifest[]): Readonly<Record<string, unknown>> {
  const roles = objects.filter(({ kind, metadata }) => /Role$/.test(kind) && !metadata.annotations?.['helm.sh/hook']);
  return Object.fromEntries(
    roles.map(({ kind, metadata, rules }) => [`${kind} ${metadata.namespace ?? ''}/${metadata.name}`, rules]),
  );
}

describe('the rights of a release', () => {
  it('are exactly the verbs that are used, everywhere', async () => {
    expect(rulesOf(await render())).to.deep.equal({
      'ClusterRole /svc-pipelines-controller-svc-pipelines-runs': runRules,
      'Role svc-pipelines/svc-pipelines-controller-svc-pipelines-config': configRules,
      'Role svc-pipelines/svc-pipelines-controller-lease': leaseRules,
    });
  });

  it('are nothing cluster-wide where the namespaces are named', async () => {
    const name = 'svc-pipelines-controller-svc-pipelines';
    expect(rulesOf(await render({ watchNamespaces: ['a', 'b'] }))).to.deep.equal({
      [`Role a/${name}-runs`]: runRules,
      [`Role b/${name}-runs`]: runRules,
      [`Role svc-pipelines/${name}-config`]: configRules,
      'Role svc-pipelines/svc-pipelines-controller-lease': leaseRules,
    });
  });

  it('grow by two reviews when metrics are secure', async () => {
    const added = rulesOf(await render({ metrics: { secure: true } }));
    expect(added).to.deep.include({
      'ClusterRole /svc-pipelines-controller-svc-pipelines-metrics-auth': [
        { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
        { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
      ],
      'ClusterRole /svc-pipelines-controller-svc-pipelines-metrics-reader': [
        { nonResourceURLs: ['/metrics'], verbs: ['get'] },
      ],
    });
  });

  describe('on the API server', () => {
    let release: Release;
    let token: string;
    const maps = '/api/v1/namespaces/rights/configmaps';
    const event = { metadata: { name: 'e' }, involvedObject: { namespace: 'rights', kind: 'ConfigMap', name: 'x' } };

    const attempts = [
      { method: 'GET', path: '/apis/svc.dev/v1/taskruns', status: 200 },
      { method: 'GET', path: '/apis/svc.dev/v1/pipelineruns?watch=true&timeoutSeconds=1', status: 200 },
      { method: 'GET', path: '/apis/svc.dev/v1beta1/customruns', status: 200 },
      { method: 'GET', path: '/apis/svc.dev/v1/namespaces/rights/taskruns/one', status: 403 },
      { method: 'DELETE', path: '/apis/svc.dev/v1/namespaces/rights/taskruns/one', status: 403 },
      { method: 'GET', path: `${maps}?fieldSelector=metadata.name%3Dconfig-events`, status: 200 },
      {
        method: 'GET',
        path: `${maps}?fieldSelector=metadata.name%3Dconfig-events&watch=true&timeoutSeconds=1`,
        status: 200,
      },
      { method: 'GET', path: maps, status: 403 },
      { method: 'GET', path: `${maps}?fieldSelector=metadata.name%3Dkube-root-ca.crt`, status: 403 },
      { method: 'POST', path: maps, body: { metadata: { name: 'svc-pipelines-controller-last-good' } }, status: 201 },
      { method: 'GET', path: `${maps}/svc-pipelines-controller-last-good`, status: 200 },
      { method: 'DELETE', path: `${maps}/svc-pipelines-controller-last-good`, status: 403 },
      { method: 'GET', path: '/api/v1/namespaces/rights/secrets', status: 403 },
      { method: 'POST', path: '/api/v1/namespaces/rights/events', body: event, status: 201 },
      {
        method: 'POST',
        path: '/apis/coordination.k8s.io/v1/namespaces/rights/leases',
        body: { metadata: { name: 'svc-pipelines-controller' } },
        status: 201,
      },
      {
        method: 'GET',
        path: '/apis/coordination.k8s.io/v1/namespaces/rights/leases/svc-pipelines-controller',
        status: 200,
      },
      { method: 'GET', path: '/apis/coordination.k8s.io/v1/namespaces/rights/leases/other', status: 403 },
    ] as const;

    before(async () => {
      release = await releaseIn('rights');
      await release.upgrade();
      token = await sharedCluster().tokenFor({ namespace: 'rights', name: 'svc-pipelines-controller' });
    });

    after(() => release.uninstall(['--no-hooks']));

    for (const attempt of attempts) {
      it(`answer ${attempt.status} to ${attempt.method} ${attempt.path}`, async () => {
        const body = 'body' in attempt ? attempt.body : undefined;
        const { status } = await sharedCluster().ask(attempt.method, attempt.path, body, token);
        expect(status).to.equal(attempt.status);
      });
    }
  });
});
