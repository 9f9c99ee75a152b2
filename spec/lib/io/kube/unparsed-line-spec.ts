import { expect } from 'chai';
import { unparsedLine } from '../../../../lib/io/kube/unparsed-line.ts';
import { unparsedPage } from '../../../../lib/io/kube/unparsed-page.ts';
import { KubeError } from '../../../../lib/kube/api.ts';

const asked = { verb: 'watch', group: 'svc.dev', plural: 'taskruns', namespace: '' } as const;

describe('unparsedLine', () => {
  for (const type of ['ADDED', 'MODIFIED', 'DELETED'] as const) {
    it(`leaves an object of ${type} in its bytes until it is read`, () => {
      const line = unparsedLine(asked, Buffer.from(`{"type":"${type}","object":{"metadata":{"uid":"é"}}}`));
      expect(line?.type).to.equal(type);
      const { bytes, start = -1 } = line?.unparsed ?? {};
      expect(bytes?.toString('utf8', start, bytes.length)).to.equal('{"metadata":{"uid":"é"}}}');
      expect(line?.object).to.deep.equal({ metadata: { uid: 'é' } });
      expect(line?.object).to.equal(line?.object);
    });
  }

  const others = [
    '{"type":"BOOKMARK","object":{"metadata":{}}}',
    '{"type":"ERROR","object":{"code":410}}',
    '{"object":{"a":1},"type":"ADDED"}',
    '{"type":"ADDED","object":[]}',
    '{"type": "ADDED","object":{"a":1}}',
    '{"type":"ADDED","object":{"a":1}',
    '',
  ];
  for (const text of others) {
    it(`leaves ${text || 'nothing'} to the parser`, () => {
      expect(unparsedLine(asked, Buffer.from(text))).to.equal(undefined);
    });
  }

  it('says of a line that is no JSON what came, but not what stands in it', () => {
    const line = unparsedLine(asked, Buffer.from('{"type":"ADDED","object":{"secret":hunter2}}'));
    const read = () => line?.object;
    expect(read).to.throw(KubeError, /a line of 44 characters that is no JSON/);
    expect(read).to.not.throw(/hunter2/);
  });
});

describe('unparsedPage', () => {
  it('is a page whose objects are parsed when asked for', () => {
    const text = '{"items":[{"a":1},{"b":"é"}],"metadata":{"continue":"next","resourceVersion":"7"}}';
    const page = unparsedPage(Buffer.from(text));
    expect(page).to.include({ resourceVersion: '7', continueToken: 'next' });
    expect(page?.items).to.deep.equal([]);
    expect(page?.unparsed?.map(({ parse }) => parse())).to.deep.equal([{ a: 1 }, { b: 'é' }]);
    expect(page?.unparsed?.map(({ bytes, start }) => bytes.toString('utf8', start, start + 2))).to.deep.equal([
      '{"',
      '{"',
    ]);
  });

  for (const text of ['{"items":[{}],"metadata":{}}', '{"items":[1],"metadata":{"resourceVersion":"7"}}', 'no']) {
    it(`leaves ${text} to the parser`, () => {
      expect(unparsedPage(Buffer.from(text))).to.equal(undefined);
    });
  }
});
