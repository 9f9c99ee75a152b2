import { expect } from 'chai';
import fc from 'fast-check';
import { createByteStrings } from '../../../lib/run/byte-strings.ts';
import { type JsonBytes, wordsOf } from '../../../lib/run/json-bytes.ts';

/** A reader that has each string in bytes of its own. */
function createRead(places?: number) {
  const read = createByteStrings(places);
  return (bytes: JsonBytes, start: number, end: number) => read(bytes, wordsOf(bytes), start, end);
}

describe('createByteStrings', () => {
  it('reads what JSON.parse reads, whatever it has read before', () => {
    const read = createRead(8);
    const repeated = fc.constantFrom(
      '',
      'a',
      'b',
      'ab',
      'é',
      '"',
      '\\',
      '\n',
      '\u{1f680}',
      'x'.repeat(128),
      'x'.repeat(129),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(repeated, fc.string({ unit: 'binary' }))), (strings) => {
        for (const string of strings) {
          const json = Buffer.from(`[${JSON.stringify(string)}]`);
          const want = JSON.parse(json.toString())[0];
          expect(read(json, 2, json.length - 2)).to.equal(want);
        }
      }),
    );
  });

  it('looks a string up that came lately and makes none', () => {
    const made: string[] = [];
    const counting = (text: string) => {
      const bytes = Buffer.from(text);
      bytes.toString = (...given) => {
        made.push(text);
        return Buffer.prototype.toString.apply(bytes, given);
      };
      return bytes;
    };
    const read = createRead(4096);
    const got = ['team-1', 'a \\"b\\"', 'team-1', 'a \\"b\\"'].map((text) => read(counting(text), 0, text.length));
    expect(got).to.deep.equal(['team-1', 'a "b"', 'team-1', 'a "b"']);
    expect(made).to.deep.equal(['team-1', 'a \\"b\\"']);
  });

  it('remembers no more than it has places for', () => {
    const read = createRead(1);
    const got = ['a', 'b', 'a'].map((text) => read(Buffer.from(text), 0, 1));
    expect(got).to.deep.equal(['a', 'b', 'a']);
  });

  it('throws at a string that is no JSON', () => {
    expect(() => createRead()(Buffer.from('\\x'), 0, 2)).to.throw(SyntaxError);
  });
});
