import { expect } from 'chai';
import { type Json, jsonAt, textAt } from '../../lib/sandbox/api/stored-object.ts';
import { svc } from '../support/runs.ts';
import { sampleValue } from '../support/scrape.ts';
import { startWorld, type World } from '../support/world.ts';

const checkpointKey = `${svc.apiGroup}/checkpoint`;

describe('a leader that loses its Lease and gets it back', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world.close());

  const path = () => `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases/${svc.component}`;
  const lease = async () => (await world.server.request('GET', path())).json;
  const checkpointOf = (one: Json) => textAt(jsonAt(one.metadata, 'annotations'), checkpointKey);

  /** The checkpoint that stands in the Lease, once one does. */
  async function savedCheckpoint(): Promise<string> {
    for (;;) {
      const saved = checkpointOf(await lease());
      if (saved !== '') return saved;
    }
  }

  /** Writes the Lease as another replica would, with a checkpoint, and waits until the controller has said so. */
  async function give(holderIdentity: string, checkpoint: string, sentence: string): Promise<void> {
    const leaseTransitions = Number(jsonAt(await lease(), 'spec').leaseTransitions) + 1;
    const body = {
      metadata: { annotations: { [checkpointKey]: checkpoint } },
      spec: { holderIdentity, leaseTransitions },
    };
    const after = world.controller.lines.length;
    await world.server.request('PATCH', path(), { body, contentType: 'application/merge-patch+json' });
    await world.controller.logged(({ msg }) => msg === sentence, after);
  }

  it('counts no run again that it counted before, though nobody scraped it', async () => {
    const before = await savedCheckpoint();
    await world.finish('TaskRun', 'first');
    await give('another', before, 'standing by, another replica leads');
    await give('', before, 'synced');
    await world.finish('TaskRun', 'second');
    const text = await world.scrape();
    expect(sampleValue(text, 'taskrun_total{status="success",reason="Succeeded"}')).to.equal(2);
  });
});
