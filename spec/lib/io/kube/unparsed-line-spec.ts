import { expect } from 'chai';
import { unparsedLine as lineIn } from '../../../../lib/io/kube/unparsed-line.ts';
import { unparsedPage } from '../../../../lib/io/kube/unparsed-page.ts';
import { KubeError } from '../../../../lib/kube/api.ts';
import { createListScan } from '../../../../lib/run/scan-list.ts';

const asked = { verb: 'watch', group: 'svc.dev', plural: 'taskruns', namespace: '' } as const;

/** The line in the middle of other bytes. */
function unparsedLine(text: string) {
  const [before, line] = [Buffer.from('{"type":"é'), Buffer.from(text)];
  const bytes = Buffer.concat([before, line, Buffer.from('}}}')]);
  return lineIn(asked, bytes, before.length, before.length + line.length);
}

describe('unparsedLine', () => {
  for (const type of ['ADDED', 'MODIFIED', 'DELETED'] as const) {
    it(`leaves an object of ${type} in its bytes until it is read`, () => {
      const line = unparsedLine(`{"type":"${type}","object":{"metadata":{"uid":"é"}}}`);
      expect(line?.type).to.equal(type);
      const { bytes, start = -1, end = -1 } = line?.unparsed ?? {};
      expect(bytes?.toString('utf8', start, end)).to.equal('{"metadata":{"uid":"é"}}');
      expect(line?.unparsed?.parse()).to.equal(line?.object);
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
      expect(unparsedLine(text)).to.equal(undefined);
    });
  }

  it('says of a line that is no JSON what came, but not what stands in it', () => {
    const line = unparsedLine('{"type":"ADDED","object":{"secret":hunter2}}');
    const read = () => line?.object;
    expect(read).to.throw(KubeError, /a line of 44 characters that is no JSON/);
    expect(read).to.not.throw(/hunter2/);
  });
});

function pageOf(text: string) {
  const scan = createListScan();
  scan.push(Buffer.from(text));
  return unparsedPage(scan.end());
}

describe('unparsedPage', () => {
  it('is a page whose objects are parsed when asked for', () => {
    const text = '{"metadata":{"continue":"next","resourceVersion":"7"},"items":[{"a":1},{"b":"é"}]}';
    const page = pageOf(text);
    expect(page).to.include({ resourceVersion: '7', continueToken: 'next' });
    expect(page?.items).to.deep.equal([]);
    expect(page?.unparsed?.map((one) => one.parse())).to.deep.equal([{ a: 1 }, { b: 'é' }]);
    expect(page?.unparsed?.map(({ bytes, start, end }) => bytes.toString('utf8', start, end))).to.deep.equal([
      '{"a":1}',
      '{"b":"é"}',
    ]);
  });

  for (const text of ['{"metadata":{},"items":[{}]}', '{"metadata":{"resourceVersion":"7"},"items":[1]}', 'no']) {
    it(`leaves ${text} to the parser`, () => {
      expect(pageOf(text)).to.equal(undefined);
    });
  }
});
