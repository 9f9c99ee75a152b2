import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { eventType, interfaceEvents } from '../../../lib/events/event-type.ts';
import { svc, tekton } from '../../support/runs.ts';

const table = [
  'dev.svc.event.taskrun.started.v1',
  'dev.svc.event.taskrun.running.v1',
  'dev.svc.event.taskrun.unknown.v1',
  'dev.svc.event.taskrun.successful.v1',
  'dev.svc.event.taskrun.failed.v1',
  'dev.svc.event.pipelinerun.started.v1',
  'dev.svc.event.pipelinerun.running.v1',
  'dev.svc.event.pipelinerun.unknown.v1',
  'dev.svc.event.pipelinerun.successful.v1',
  'dev.svc.event.pipelinerun.failed.v1',
  'dev.svc.event.run.started.v1',
  'dev.svc.event.run.running.v1',
  'dev.svc.event.run.successful.v1',
  'dev.svc.event.run.failed.v1',
];

describe('eventType', () => {
  it('gives the fourteen types of the interface', () => {
    expect(interfaceEvents.map((of) => eventType(svc, of))).to.deep.equal(table);
  });

  it("speaks another profile's names", () => {
    expect(eventType(tekton, { kind: 'CustomRun', word: 'started' })).to.equal('dev.tekton.event.customrun.started.v1');
    expect(eventType(tekton, { kind: 'TaskRun', word: 'queued' })).to.equal('dev.tekton.event.taskrun.queued.v1');
  });

  it('stands in docs/events.md as the code has it', () => {
    const rows = readFileSync('docs/events.md', 'utf8').matchAll(/^\| (\w+) \| .+ \| `(dev\.svc\.event\.[^`]+)` \|$/gm);
    const documented = [...rows].map(([, kind, type]) => `${kind} ${type}`);
    expect(documented).to.deep.equal(interfaceEvents.map((of) => `${of.kind} ${eventType(svc, of)}`));
  });
});
