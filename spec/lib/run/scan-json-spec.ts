import { expect } from 'chai';
import fc from 'fast-check';
import { createByteStrings } from '../../../lib/run/byte-strings.ts';
import { field } from '../../../lib/run/fields.ts';
import { wordsOf } from '../../../lib/run/json-bytes.ts';
import { scanJson, want } from '../../../lib/run/scan-json.ts';

const [a, b, d, type, e] = [0, 1, 2, 3, 4];
const rows = [
  want.value('a', a),
  want.object('b', [want.value('c', b), want.there('d', d)]),
  want.one('l', type, 'x', [want.value('t', type), want.value('e', e)]),
];

/** What stands in the slots a, b.c, b.d, l[].t, l[].e; undefined in doubt. */
function scanned(text: string): unknown[] | undefined {
  const slots: unknown[] = [undefined, undefined, undefined, undefined, undefined];
  // In the middle of other bytes, which must not be read.
  const [before, object] = [Buffer.from('"é'), Buffer.from(text)];
  const bytes = Buffer.concat([before, object, Buffer.from('}]},"a":"behind","b":{"c":1}}')]);
  const end = before.length + object.length;
  const scan = { bytes, words: wordsOf(bytes), start: before.length, end, slots, read: createByteStrings(4) };
  return scanJson(scan, rows) ? slots : undefined;
}

/** The same from the parsed object. */
function picked(value: Readonly<Record<string, unknown>>): unknown[] {
  const list = Array.isArray(value.l) ? value.l : [];
  const one = list.find((member) => field(member, 't') === 'x' && !Array.isArray(member));
  const inner = Array.isArray(value.b) ? undefined : value.b;
  const there = field(inner, 'd') === undefined ? undefined : true;
  return [value.a, field(inner, 'c'), there, field(one, 't'), field(one, 'e')];
}

const none = undefined;

describe('scanJson', () => {
  const given = [
    { text: '{}', found: [none, none, none, none, none] },
    { text: '{"a":1}', found: [1, none, none, none, none] },
    { text: '{"x":{"a":2},"a":1}', found: [1, none, none, none, none] },
    { text: '{"x":"\\",\\"a\\":3","a":"\\u00e9 \\"\\\\"}', found: ['é "\\', none, none, none, none] },
    {
      text: '{"x":[{"b":{"c":1}},"}]"],"b":{"c":[null],"x":"{","d":null}}',
      found: [none, [null], true, none, none],
    },
    { text: '{"b":null,"a":{"b":true}}', found: [{ b: true }, none, none, none, none] },
    { text: '{"b":{},"l":[],"x":-1.5e3}', found: [none, none, none, none, none] },
    {
      text: '{"l":[null,1,{"t":"y","e":1},{"x":[],"t":"x"},{"t":"x","e":2}],"a":2}',
      found: [2, none, none, 'x', none],
    },
    { text: '{"l":[{"e":2,"t":"x"},{"t":"y","e":1},"}"]}', found: [none, none, none, 'x', 2] },
    { text: '{"l":[{"e":2,"t":"y"}]}', found: [none, none, none, none, none] },
    { text: '{"l":{"t":"x","e":1}}', found: [none, none, none, none, none] },
  ];
  for (const { text, found } of given) {
    it(`picks what is wanted from ${text}`, () => {
      expect(scanned(text)).to.deep.equal(found);
    });
  }

  const doubtful = [
    { title: 'white space', text: '{ "a":1}' },
    { title: 'white space after a key', text: '{"x":{},"a" :1}' },
    { title: 'an escape in a key', text: '{"\\u0061":1}' },
    { title: 'a wanted key twice', text: '{"a":1,"a":2}' },
    { title: 'a text that ends within an object', text: '{"x":1' },
    { title: 'a text that ends within a string', text: '{"x":"' },
    { title: 'a text that ends within a nested value', text: '{"x":{"a":"' },
    { title: 'a text that ends within a wanted object', text: '{"b":{"x":1' },
    { title: 'a text that ends before a value', text: '{"a":' },
    { title: 'a wanted value that is no JSON', text: '{"a":nul}' },
    { title: 'a value that is missing', text: '{"x":,"a":1}' },
    { title: 'an array', text: '["a"]' },
    { title: 'a text that ends within an array', text: '{"l":[{"t":"y"},' },
    { title: 'white space in an array', text: '{"l":[ {"t":"x"}]}' },
    { title: 'a wanted key twice within an array', text: '{"l":[{"t":"x","t":"y"}]}' },
    { title: 'an object that goes on behind its end', text: '{"a":1,"x":{"y":1}' },
    { title: 'two values without a comma', text: '{"x":"y""a":1}' },
  ];
  for (const { title, text } of doubtful) {
    it(`is in doubt about ${title}`, () => {
      expect(scanned(text)).to.equal(undefined);
    });
  }

  it('reads no further than the last wanted part', () => {
    const text = '{"a":1,"l":[],"b":{"d":0,"c":2,"x":never';
    expect(scanned(text)).to.deep.equal([1, 2, true, none, none]);
  });

  it('gives what JSON.parse gives, as far as it is wanted, for any object', () => {
    const key = fc.oneof(fc.constantFrom('a', 'b', 'c', 'd', 'l', 't', 'e', 'ab', ''), fc.string({ unit: 'binary' }));
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 2 },
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom('x', 'y', '}', '{"a":1}'),
        tie('object'),
        fc.array(tie('object'), { maxLength: 3 }),
      ),
      object: fc.dictionary(key, tie('any'), { maxKeys: 5 }),
    })).object;
    let sure = 0;
    fc.assert(
      fc.property(value, (object) => {
        const text = JSON.stringify(object);
        const found = scanned(text);
        if (found === undefined) {
          expect(text).to.match(/\\/);
          return;
        }
        sure += 1;
        expect(found).to.deep.equal(picked(JSON.parse(text)));
      }),
      { numRuns: 1000 },
    );
    expect(sure).to.be.greaterThan(300);
  });
});
