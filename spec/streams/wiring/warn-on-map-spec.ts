import { expect } from 'chai';
import type { Resource } from '../../../lib/run/run.ts';
import { warnOnMap } from '../../../streams/wiring/warn-on-map.ts';

/** The Events written about a version of a config map. */
function written(...warnings: readonly (readonly [resourceVersion: string, reason: string, message: string])[]) {
  const events: Resource[] = [];
  const record = async (event: Resource) => {
    events.push(event);
    return 'written' as const;
  };
  const reporter = { component: 'svc-pipelines-controller', instance: 'controller-0' };
  const warn = warnOnMap({ recorder: { record }, reporter });
  for (const [resourceVersion, reason, message] of warnings) {
    const metadata = { namespace: 'svc-pipelines', name: 'config-events', uid: 'm1', resourceVersion };
    warn({ metadata }, reason, message);
  }
  return events;
}

const nameOf = ({ metadata }: Resource) => (metadata as Resource).name;

describe('warnOnMap', () => {
  it('writes a Warning on the config map', () => {
    const [event = {}] = written(['5', 'InvalidConfig', 'formats: empty; sink: no URL']);
    expect(event).to.deep.include({
      type: 'Warning',
      reason: 'InvalidConfig',
      message: 'formats: empty; sink: no URL',
      reportingInstance: 'controller-0',
      involvedObject: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: 'svc-pipelines',
        name: 'config-events',
        uid: 'm1',
        resourceVersion: '5',
      },
    });
    expect(nameOf(event)).to.match(/^config-events\.[0-9a-f-]{36}$/);
  });

  it('writes the same Event for the same version and words, whichever replica does', () => {
    const [first = {}] = written(['5', 'InvalidConfig', 'formats: empty']);
    const [again = {}] = written(['5', 'InvalidConfig', 'formats: empty']);
    expect(nameOf(again)).to.equal(nameOf(first));
  });

  it('writes another for each version, reason and message', () => {
    const events = written(
      ['5', 'InvalidConfig', 'formats: empty'],
      ['6', 'InvalidConfig', 'formats: empty'],
      ['5', 'QuestionableConfig', 'formats: empty'],
      ['5', 'InvalidConfig', 'sink: no URL'],
    );
    expect(new Set(events.map(nameOf)).size).to.equal(4);
  });
});
