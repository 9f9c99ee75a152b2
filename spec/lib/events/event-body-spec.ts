import { expect } from 'chai';
import { eventBody } from '../../../lib/events/event-body.ts';
import { outlineOf } from '../../../lib/run/outline.ts';
import type { Resource } from '../../../lib/run/run.ts';
import { observed, resource, typeOf } from '../../support/runs.ts';

const type = typeOf('TaskRun');

/** The body made from bytes; `parse` is what else there is to look at. */
function bodyOf(object: Resource, parse: () => Resource): string {
  const bytes = Buffer.from(`  ${JSON.stringify(object)}  `);
  const seen = {
    run: observed({}).run,
    outline: outlineOf(bytes, 2, bytes.length - 2),
    get resource() {
      return parse();
    },
  };
  const body = eventBody(seen, type);
  // It must stand when the bytes that arrived are long gone.
  bytes.fill(0);
  return Buffer.from(body).toString();
}

const parsedBody = (object: Resource) =>
  Buffer.from(eventBody({ run: observed({}).run, resource: object }, type)).toString();

describe('eventBody', () => {
  const whole = resource({ condition: 'True/Succeeded/é "quoted" \\ \u{1f680}', labels: { kind: 'no' } });
  const managed = {
    ...(whole.metadata as object),
    managedFields: [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }],
  };

  for (const [what, object] of [
    ['an object', whole],
    ['an object with managedFields', { ...whole, metadata: managed }],
  ] as const) {
    it(`copies ${what} from its bytes, the same that parsing it gives`, () => {
      const copied = bodyOf(object, () => expect.fail('expected no parsing'));
      expect(copied).to.equal(parsedBody(object));
      expect(JSON.parse(copied)).to.deep.equal({ taskRun: whole });
    });
  }

  for (const [what, change] of [
    ['no apiVersion', { apiVersion: undefined }],
    ['another apiVersion', { apiVersion: 'svc.dev/v1beta1' }],
    ['no kind', { kind: undefined }],
    ['another kind', { kind: 'PipelineRun' }],
  ] as const) {
    it(`writes an object anew that has ${what}`, () => {
      const object: Resource = { ...whole, ...change };
      expect(JSON.parse(bodyOf(object, () => object))).to.deep.equal({ taskRun: whole });
    });
  }

  it('keeps numbers as they were written', () => {
    const bytes = Buffer.from(JSON.stringify(whole).replace('"spec":{}', '"spec":{"big":9007199254740993,"one":1.0}'));
    const seen = { run: observed({}).run, resource: {}, outline: outlineOf(bytes, 0, bytes.length) };
    expect(Buffer.from(eventBody(seen, type)).toString()).to.include('{"big":9007199254740993,"one":1.0}');
  });
});
