import { expect } from 'chai';
import fc from 'fast-check';
import { durationSeconds } from '../../../lib/run/finished.ts';
import { kinds } from '../../../lib/run/kind.ts';
import { readRun } from '../../../lib/run/read.ts';
import { createScanRun } from '../../../lib/run/scan.ts';
import { observed, resource, svc, typeOf } from '../../support/runs.ts';

const lookAlike = JSON.stringify(resource({ uid: 'another', condition: 'False/Failed/not this one' }));

/** Anything that may stand in a run: also a whole other run, as an object and as text. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(JSON.parse(lookAlike)),
  fc.constant(lookAlike),
  fc.string({ unit: 'binary' }),
);
const words = fc.oneof(
  fc.constantFrom('Unknown', 'True', 'False', 'Running', 'TaskRunPending', 'PipelineRunPending', 'Cancelled', ''),
  fc.string({ unit: 'binary' }),
);
const condition = fc.record(
  {
    type: fc.constantFrom('Succeeded', 'Ready'),
    status: words,
    reason: words,
    message: words,
    lastTransitionTime: words,
    extra: anything,
  },
  { requiredKeys: ['type'] },
);
const labels = fc.dictionary(fc.oneof(fc.constantFrom(...Object.values(svc.labels)), words), words, { maxKeys: 5 });
const reference = fc.oneof(fc.record({ name: words, kind: words }, { requiredKeys: [] }), anything);
const metadata = fc.record(
  {
    annotations: fc.dictionary(
      fc.oneof(fc.constantFrom('uid', 'resourceVersion', 'labels'), words),
      fc.oneof(words, fc.constant(lookAlike)),
    ),
    labels: fc.oneof(labels, anything),
    managedFields: fc.array(anything, { maxLength: 3 }),
    name: words,
    namespace: words,
    ownerReferences: fc.array(fc.record({ uid: words, name: words }), { maxLength: 2 }),
    resourceVersion: words,
    uid: words,
  },
  { requiredKeys: ['name', 'namespace', 'uid', 'resourceVersion'] },
);
const spec = fc.record(
  {
    conditions: anything,
    params: anything,
    pipelineRef: reference,
    status: words,
    taskRef: reference,
    taskSpec: anything,
    customSpec: anything,
  },
  { requiredKeys: [] },
);
const status = fc.record(
  {
    artifacts: anything,
    conditions: fc.oneof(
      { weight: 4, arbitrary: fc.array(condition, { maxLength: 3 }) },
      { weight: 1, arbitrary: anything },
    ),
    steps: anything,
    spec: anything,
  },
  { requiredKeys: [] },
);
const run = fc
  .record(
    { apiVersion: words, metadata, spec: fc.oneof(spec, anything), status: fc.oneof(status, anything) },
    { requiredKeys: ['metadata'] },
  )
  .chain((object) =>
    fc
      .shuffledSubarray(Object.keys(object), { minLength: Object.keys(object).length })
      .map((keys) => Object.fromEntries(keys.map((key) => [key, (object as Readonly<Record<string, unknown>>)[key]]))),
  );

function scanned(text: string, kind: (typeof kinds)[number], parse = () => JSON.parse(text)) {
  const bytes = Buffer.from(`before${text}behind`);
  return scans[kind]({ bytes, start: 6, end: bytes.length - 6, parse }, typeOf(kind));
}

// One for all that is scanned: what it remembers of one run must not be read of another.
const scans = {
  TaskRun: createScanRun({ kind: 'TaskRun', labels: svc.labels }),
  PipelineRun: createScanRun({ kind: 'PipelineRun', labels: svc.labels }),
  CustomRun: createScanRun({ kind: 'CustomRun', labels: svc.labels }),
};

const as = (kind: (typeof kinds)[number]) => ({ kind, type: typeOf(kind), labels: svc.labels });

describe('createScanRun', () => {
  it('reads what readRun reads, in any order of keys, whatever else stands beside it', () => {
    let sure = 0;
    fc.assert(
      fc.property(run, fc.constantFrom(...kinds), (object, kind) => {
        const text = JSON.stringify(object);
        const read = readRun(JSON.parse(text), as(kind))?.run;
        const found = scanned(text, kind)?.run;
        if (found === undefined) return;
        sure += 1;
        expect(found).to.deep.equal(read);
      }),
      { numRuns: 1000 },
    );
    expect(sure).to.be.greaterThan(500);
  });

  it('is sure of every run that a server writes', () => {
    const given = {
      condition: 'Unknown/Running/é "quoted" \\ \u2028 \u{1f680}',
      labels: { [svc.labels.task]: 'build' },
    };
    const text = JSON.stringify(resource(given));
    expect(scanned(text, 'TaskRun')?.run).to.deep.equal(readRun(JSON.parse(text), as('TaskRun'))?.run);
  });

  it('parses the object only when somebody asks for it', () => {
    let parsed = 0;
    const text = JSON.stringify(resource({ condition: 'True/Succeeded/' }));
    const found = scanned(text, 'TaskRun', () => {
      parsed += 1;
      return JSON.parse(text);
    });
    expect([found?.run.condition?.status, parsed]).to.deep.equal(['True', 0]);
    expect([found?.resource, parsed]).to.deep.equal([JSON.parse(text), 1]);
  });

  it('times a run as readRun does, without parsing it', () => {
    const never = () => expect.fail('expected no parsing');
    for (const times of [
      { started: '2026-01-01T00:00:01Z', completed: '2026-01-01T00:00:08Z' },
      { started: '2026-01-01T00:00:01Z' },
      {},
    ]) {
      const given = { ...times, condition: 'True/Succeeded/' };
      const found = scanned(JSON.stringify(resource(given)), 'TaskRun', never);
      expect(found && durationSeconds(found)).to.equal(durationSeconds(observed(given)));
    }
  });

  it('leaves a run without a uid to the parser', () => {
    const whole = resource({});
    expect(scanned(JSON.stringify({ ...whole, metadata: {} }), 'TaskRun')).to.equal(undefined);
  });

  it('leaves the outline to the parser when in doubt', () => {
    const { status: _, ...whole } = resource({});
    const status = '{"conditions":[{"type":"Succeeded","status":"True"}],"st\\u0061rtTime":"2026-01-01T00:00:01Z"}';
    const found = scanned(`${JSON.stringify(whole).slice(0, -1)},"status":${status}}`, 'TaskRun');
    expect(found?.run.condition?.status).to.equal('True');
    expect(found?.outline).to.equal(undefined);
    expect(found && durationSeconds(found)).to.equal(0);
    expect(found?.resource.status).to.include({ startTime: '2026-01-01T00:00:01Z' });
  });
});
