import { expect } from 'chai';
import fc from 'fast-check';
import { field } from '../../../lib/run/fields.ts';
import { type Outline, outlineOf } from '../../../lib/run/outline.ts';
import { timesOf } from '../../../lib/run/times.ts';
import { observed } from '../../support/runs.ts';

/** The outline of an object that stands in the middle of other bytes, which must not be read. */
function outlined(text: string, behind = '}]},"kind":"behind"}'): Outline | undefined {
  const [before, object] = [Buffer.from('"é{"'), Buffer.from(text)];
  return outlineOf(Buffer.concat([before, object, Buffer.from(behind)]), before.length, before.length + object.length);
}

const textOf = ({ pieces }: Outline) => Buffer.concat(pieces).toString();

const words = fc.oneof(
  fc.constantFrom('Pod', 'v1', 'managedFields', '2026-01-01T00:00:00Z'),
  fc.string({ unit: 'grapheme' }),
);
const anything = fc.oneof(words, fc.jsonValue({ maxDepth: 2 }));
const keys = fc.constantFrom(
  ...['apiVersion', 'kind', 'metadata', 'status', 'spec', 'managedFields'],
  ...['creationTimestamp', 'startTime', 'completionTime', 'name'],
);
const inner = fc.dictionary(keys, fc.oneof(anything, fc.dictionary(keys, anything)), { maxKeys: 6 });
const object = fc.dictionary(keys, fc.oneof(anything, inner, inner), { maxKeys: 6 });

const plain = (value: unknown) => (Array.isArray(value) ? undefined : value);

describe('outlineOf', () => {
  it('finds what the parser finds, and cuts out managedFields alone', () => {
    let [sure, cut] = [0, 0];
    fc.assert(
      fc.property(object, (given) => {
        const text = JSON.stringify(given);
        const whole = JSON.parse(text);
        const found = outlined(text);
        // Only a parser can tell a key with an escape.
        if (found === undefined) return void expect(text).to.include('\\');
        sure += 1;
        const [metadata, status] = [plain(whole.metadata), plain(whole.status)];
        expect(found).to.deep.include({
          apiVersion: whole.apiVersion,
          kind: whole.kind,
          creationTimestamp: field(metadata, 'creationTimestamp'),
          startTime: field(status, 'startTime'),
          completionTime: field(status, 'completionTime'),
        });
        if (field(metadata, 'managedFields') !== undefined) cut += 1;
        if (metadata !== undefined && metadata !== null) delete (metadata as Record<string, unknown>).managedFields;
        expect(textOf(found)).to.equal(JSON.stringify(whole));
      }),
      { numRuns: 1000 },
    );
    expect(sure).to.be.greaterThan(700);
    expect(cut).to.be.greaterThan(20);
  });

  for (const [what, metadata, left] of [
    ['alone', '{"managedFields":[{"a":"]"}]}', '{}'],
    ['first', '{"managedFields":null,"name":"a"}', '{"name":"a"}'],
    ['last', '{"name":"a","managedFields":[]}', '{"name":"a"}'],
    ['in between', '{"name":"a","managedFields":[{}],"uid":"b"}', '{"name":"a","uid":"b"}'],
  ] as const) {
    it(`leaves JSON where managedFields stood ${what}`, () => {
      const found = outlined(`{"metadata":${metadata},"spec":{"managedFields":[1.0]}}`);
      expect(found && textOf(found)).to.equal(`{"metadata":${left},"spec":{"managedFields":[1.0]}}`);
    });
  }

  for (const [what, text] of [
    ['cut short', '{"metadata":{"name":"a"}'],
    ['with something behind its end', '{"metadata":{}},"x":{}'],
    ['with a key twice', '{"kind":"A","kind":"B"}'],
    ['with an escape in a key', '{"k\\u0069nd":"A"}'],
    ['with white space', '{"metadata": {}}'],
    ['that is none', '[]'],
  ] as const) {
    it(`is in doubt about an object ${what}`, () => {
      expect(outlined(text)).to.equal(undefined);
    });
  }
});

describe('timesOf', () => {
  it('reads the object where there is no outline, and nothing of the object where there is one', () => {
    const given = { started: '2026-01-01T00:00:01Z', completed: '2026-01-01T00:00:08Z' };
    const times = {
      creationTimestamp: '2026-01-01T00:00:00Z',
      startTime: given.started,
      completionTime: given.completed,
    };
    const seen = observed(given);
    expect(timesOf(seen)).to.deep.equal(times);
    const outline = outlined(JSON.stringify(seen.resource));
    expect(timesOf({ outline, resource: {} })).to.deep.include(times);
  });
});
