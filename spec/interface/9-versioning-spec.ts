import { expect } from 'chai';
import type { Kind } from '../../lib/run/kind.ts';
import { startWorld, type World } from '../support/world.ts';

describe('9. Versioning', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ maps: { 'feature-flags': { 'send-cloudevents-for-runs': 'true' } } });
  });
  after(() => world.close());

  it('1. event types carry the suffix .v1', async () => {
    for (const kind of ['TaskRun', 'PipelineRun', 'CustomRun'] as const) await world.finish(kind, 'suffixed');
    const types = world.sink.typesOf('suffixed');
    expect(types).to.have.lengthOf.at.least(3);
    for (const type of types) expect(type).to.match(/^dev\.svc\.event\.[a-z]+\.[a-z]+\.v1$/);
  });

  it('2. svcv1 is the only supported format', async () => {
    const sink = world.sink.url;
    expect(await world.configure('config-events', { sink, formats: 'svcv1' })).to.equal('applied');
    for (const formats of ['svcv2', 'svcv1,svcv2', 'cloudevents', 'SVCV1']) {
      expect(await world.configure('config-events', { sink, formats }), formats).to.equal('refused');
    }
  });

  it('4. default-cloud-events-sink is deprecated: a warning says what replaces it', async () => {
    await world.configure('config-events', {});
    await world.configure('config-defaults', { 'default-cloud-events-sink': world.sink.url });
    const { warnings } = await world.controller.logged(
      (line) => line.map === 'config-defaults' && line.warnings !== undefined,
    );
    expect(String(warnings)).to.match(/default-cloud-events-sink: deprecated .*set sink in config-events instead/);
    const { message } = await world.kubeEvent('config-defaults', 'QuestionableConfig');
    expect(message).to.match(/deprecated/);
    await world.configure('config-events', { sink: world.sink.url });
  });

  const sources: readonly { kind: Kind; version: string; plural: string }[] = [
    { kind: 'TaskRun', version: 'v1', plural: 'taskruns' },
    { kind: 'PipelineRun', version: 'v1', plural: 'pipelineruns' },
    { kind: 'CustomRun', version: 'v1beta1', plural: 'customruns' },
  ];

  for (const { kind, version, plural } of sources) {
    it(`5. Ce-Source of a ${kind} carries its API version, ${version}`, async () => {
      const run = await world.finish(kind, 'versioned');
      const { headers } = await run.told('successful');
      expect(headers['ce-source']).to.equal(
        `/apis/svc.dev/${version}/namespaces/${world.namespace}/${plural}/versioned`,
      );
    });
  }
});
