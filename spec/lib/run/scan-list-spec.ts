import { expect } from 'chai';
import fc from 'fast-check';
import { createListScan } from '../../../lib/run/scan-list.ts';

/** The list as scanned from its bytes, cut at these places. */
function scanned(text: string, cuts: readonly number[] = []) {
  const bytes = Buffer.from(text);
  const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
  const scan = createListScan();
  for (const [index, end] of at.slice(1).entries()) scan.push(bytes.subarray(at[index], end));
  const list = scan.end();
  return (
    list && {
      rest: JSON.parse(list.rest),
      objects: list.objects.map(({ bytes: piece, start, end }) => piece.toString('utf8', start, end)),
    }
  );
}

describe('createListScan', () => {
  const given = [
    { text: '{"metadata":{"continue":"x"},"items":[]}', rest: { metadata: { continue: 'x' }, items: [] }, objects: [] },
    {
      text: '{"kind":"List","metadata":{},"items":[{"a":"]"},{"items":[{}]}]}\n',
      rest: { kind: 'List', metadata: {}, items: [] },
      objects: ['{"a":"]"}', '{"items":[{}]}'],
    },
    {
      text: '{"items":[{"a":1}],"kind":"List","metadata":{"continue":"]}"}}\n',
      rest: { items: [], kind: 'List', metadata: { continue: ']}' } },
      objects: ['{"a":1}'],
    },
    {
      text: '{"items":[{"a":1}],"b":{"items":[{"c":2}]}}',
      rest: { items: [], b: { items: [{ c: 2 }] } },
      objects: ['{"a":1}'],
    },
    {
      text: '{"a":"\\"items\\":[","items":[{"b":"é}\\""}]}',
      rest: { a: '"items":[', items: [] },
      objects: ['{"b":"é}\\""}'],
    },
  ];
  for (const { text, rest, objects } of given) {
    it(`finds the objects of ${text}`, () => {
      expect(scanned(text)).to.deep.equal({ rest, objects });
    });
  }

  const doubtful = [
    '',
    '[]',
    '{',
    '{}',
    '{"items":{}}',
    '{"items":[1]}',
    '{"items":[{}',
    '{"items":[{"a":"}]}',
    '{"items":[{} ]}',
    '{"items":[{}]',
    '{"items":[{}]}}',
    '{"a":{"items":[{}]},"items":[]}',
    '{"a":{"items":[]},"items":[{}]}',
    '{"items":[{}],"items":[]}',
    '{"items":[{}],"metadata":{}',
    '{"a":{"items":[{}]}}',
    '["items":[{}]]',
    '{"items": [{}]}',
    '{"\\u0069tems":[]}',
  ];
  for (const text of doubtful) {
    it(`is in doubt about ${text || 'nothing'}`, () => {
      expect(scanned(text)).to.equal(undefined);
    });
  }

  it('waits 64 KB for the first object and no longer', () => {
    const text = (bytes: number) => `{"a":"${'x'.repeat(bytes)}","items":[]}`;
    expect(scanned(text(60_000), [50_000])?.objects).to.deep.equal([]);
    expect(scanned(text(70_000), [66_000])).to.equal(undefined);
  });

  it('takes 64 KB behind the last object and no more', () => {
    const text = (bytes: number) => `{"items":[],"a":"${'x'.repeat(bytes)}"}`;
    expect(scanned(text(60_000), [50_000])?.objects).to.deep.equal([]);
    expect(scanned(text(70_000), [66_000])).to.equal(undefined);
  });

  it('finds the objects that JSON.parse finds, however the bytes are cut', () => {
    const strings = fc.oneof(
      fc.constantFrom('"items":[', '}', '\\', '"', 'é', 'four', '\\\\five"'),
      fc.string({ unit: 'binary' }),
    );
    const object = fc.dictionary(strings, fc.oneof(strings, fc.jsonValue({ maxDepth: 2 })), { maxKeys: 4 });
    fc.assert(
      fc.property(
        object,
        fc.array(object, { maxLength: 5 }),
        fc.array(fc.nat(400)),
        fc.boolean(),
        (metadata, items, cuts, first) => {
          const list = (some: typeof items) =>
            JSON.stringify(first ? { items: some, kind: 'List', metadata } : { kind: 'List', metadata, items: some });
          const found = scanned(list(items), cuts);
          expect(found?.rest).to.deep.equal(JSON.parse(list([])));
          // Texts, because V8 13.6 now and then parses the key "\"" as "\\" after an object that had this one.
          expect(found?.objects).to.deep.equal(items.map((item) => JSON.stringify(item)));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('leaves an object where it arrived, and joins one that was cut', () => {
    const text = Buffer.from('{"items":[{"a":1},{"b":2}]}');
    const [first, second] = [text.subarray(0, 20), text.subarray(20)];
    const scan = createListScan();
    scan.push(first);
    scan.push(second);
    const [whole, cut] = scan.end()?.objects ?? [];
    expect(whole?.bytes).to.equal(first);
    expect(cut?.bytes.toString()).to.equal('{"b":2}');
  });
});
