import { expect } from 'chai';
import fc from 'fast-check';
import { scanJson, scanList, wantedOf } from '../../../lib/run/scan-json.ts';

const wanted = wantedOf({ a: 'value', b: { c: 'value', d: 'there' } });
const scanned = (text: string) => scanJson(Buffer.from(text), 0, wanted);

/** What the wish above picks from a parsed object. */
function picked(value: Readonly<Record<string, unknown>>): unknown {
  const { a, b } = value;
  const isObject = typeof b === 'object' && b !== null && !Array.isArray(b);
  const { c, d } = (isObject ? b : {}) as Readonly<Record<string, unknown>>;
  const inner = { ...(c === undefined ? {} : { c }), ...(d === undefined ? {} : { d: true }) };
  return { ...(a === undefined ? {} : { a }), ...(b === undefined ? {} : { b: isObject ? inner : b }) };
}

describe('scanJson', () => {
  const given = [
    { text: '{}', want: {} },
    { text: '{"a":1}', want: { a: 1 } },
    { text: '{"x":{"a":2},"a":1}', want: { a: 1 } },
    { text: '{"x":"\\",\\"a\\":3","a":"\\u00e9 \\"\\\\"}', want: { a: 'é "\\' } },
    { text: '{"x":[{"b":{"c":1}},"}]"],"b":{"c":[null],"x":"{","d":null}}', want: { b: { c: [null], d: true } } },
    { text: '{"b":null,"a":{"b":true}}', want: { b: null, a: { b: true } } },
    { text: '{"b":{},"x":-1.5e3}', want: { b: {} } },
  ];
  for (const { text, want } of given) {
    it(`picks what is wanted from ${text}`, () => {
      expect(scanned(text)).to.deep.equal(want);
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
    { title: 'two values without a comma', text: '{"x":"y""a":1}' },
  ];
  for (const { title, text } of doubtful) {
    it(`is in doubt about ${title}`, () => {
      expect(scanned(text)).to.equal(undefined);
    });
  }

  it('reads no further than the last wanted part', () => {
    expect(scanned('{"a":1,"b":{"d":0,"c":2,"x":never')).to.deep.equal({ a: 1, b: { c: 2, d: true } });
  });

  it('gives what JSON.parse gives, as far as it is wanted, for any object', () => {
    const key = fc.oneof(fc.constantFrom('a', 'b', 'c', 'd', 'ab', ''), fc.string({ unit: 'binary' }));
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 2 },
        fc.jsonValue({ maxDepth: 2 }),
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
      { numRuns: 300 },
    );
    expect(sure).to.be.greaterThan(100);
  });
});

describe('scanList', () => {
  const objects = (text: string) => {
    const list = scanList(Buffer.from(text));
    if (list === undefined) return undefined;
    const ends = list.places.filter((_, index) => index % 2 === 1);
    const starts = list.places.filter((_, index) => index % 2 === 0);
    return {
      metadata: list.metadata,
      items: starts.map((start, index) => Buffer.from(text).toString('utf8', start, ends[index])),
    };
  };

  const given = [
    { text: '{"items":[],"metadata":{"continue":"x"}}', want: { metadata: { continue: 'x' }, items: [] } },
    {
      text: '{"kind":"List","metadata":{},"items":[{"a":"]"},{"items":[{}]}]}',
      want: { metadata: {}, items: ['{"a":"]"}', '{"items":[{}]}'] },
    },
    {
      text: '{"a":{"items":[{}]},"metadata":null,"items":[{"b":"é}"}]}',
      want: { metadata: null, items: ['{"b":"é}"}'] },
    },
  ];
  for (const { text, want } of given) {
    it(`finds the objects of ${text}`, () => {
      expect(objects(text)).to.deep.equal(want);
    });
  }

  const doubtful = [
    '[]',
    '',
    '{',
    '{}',
    '{"items":{}}',
    '{"items":[1]}',
    '{"items":[{}',
    '{"items":[{} ]}',
    '{"items":[{}]',
    '{"\\u0069tems":[]}',
    '{ "x":1}',
  ];
  for (const text of doubtful) {
    it(`is in doubt about ${text}`, () => {
      expect(scanList(Buffer.from(text))).to.equal(undefined);
    });
  }
});
