import { expect } from 'chai';
import { shareRendering } from '../../../../lib/io/metrics/share-rendering.ts';
import type { Format } from '../../../../lib/metrics/exposition.ts';
import { joined } from './harness.ts';

/** A renderer of so many chunks that says how often it began and how many chunks it made. */
function createRenderer(length: number) {
  const seen = { begun: 0, made: 0 };
  const clock = { nowMs: 0 };
  async function* render(format: Format): AsyncGenerator<string> {
    seen.begun += 1;
    const own = seen.begun;
    for (let chunk = 0; chunk < length; chunk += 1) {
      seen.made += 1;
      yield `${format}${own}.${chunk} `;
    }
  }
  return { seen, clock, shared: shareRendering(render, () => clock.nowMs) };
}

const reader = (chunks: AsyncIterable<string>) => chunks[Symbol.asyncIterator]();

describe('shareRendering', () => {
  it('renders once for scrapes of one format that come together', async () => {
    const { seen, shared } = createRenderer(3);
    const pages = await Promise.all([joined(shared('text')), joined(shared('text')), joined(shared('text'))]);
    expect(pages).to.deep.equal(Array(3).fill('text1.0 text1.1 text1.2 '));
    expect(seen).to.deep.equal({ begun: 1, made: 3 });
  });

  it('renders each format by itself', async () => {
    const { seen, shared } = createRenderer(1);
    expect(await Promise.all([joined(shared('text')), joined(shared('openmetrics'))])).to.deep.equal([
      'text1.0 ',
      'openmetrics2.0 ',
    ]);
    expect(seen.begun).to.equal(2);
  });

  it('renders anew once a rendering has ended', async () => {
    const { shared } = createRenderer(1);
    await joined(shared('text'));
    expect(await joined(shared('text'))).to.equal('text2.0 ');
  });

  it('renders anew though a slow reader is still at the last rendering', async () => {
    const { shared } = createRenderer(2);
    const slow = reader(shared('text'));
    await slow.next();
    await joined(shared('text'));
    expect(await joined(shared('text'))).to.equal('text2.0 text2.1 ');
    expect(await slow.next()).to.deep.equal({ done: false, value: 'text1.1 ' });
  });

  it('makes no chunk before somebody asks for it', async () => {
    const { seen, shared } = createRenderer(5);
    const slow = reader(shared('text'));
    await slow.next();
    expect(seen.made).to.equal(1);
  });

  it('lets a late reader begin at the first chunk', async () => {
    const { shared } = createRenderer(3);
    const first = reader(shared('text'));
    await first.next();
    await first.next();
    expect(await joined(shared('text'))).to.equal('text1.0 text1.1 text1.2 ');
    expect(await first.next()).to.deep.equal({ done: false, value: 'text1.2 ' });
  });

  it('shows nothing older than a second', async () => {
    const { clock, shared } = createRenderer(3);
    const first = reader(shared('text'));
    await first.next();
    clock.nowMs = 1001;
    expect(await joined(shared('text'))).to.equal('text2.0 text2.1 text2.2 ');
    expect(await first.next()).to.deep.equal({ done: false, value: 'text1.1 ' });
  });

  it('lets nobody join past the first sixteen chunks', async () => {
    const { shared } = createRenderer(20);
    const first = reader(shared('text'));
    for (let chunk = 0; chunk < 16; chunk += 1) await first.next();
    expect(await joined(shared('text'))).to.match(/^text2\.0 /);
  });

  it('lets nobody join what its last reader gave up', async () => {
    const { shared } = createRenderer(3);
    const first = reader(shared('text'));
    await first.next();
    await first.return?.();
    expect(await joined(shared('text'))).to.equal('text2.0 text2.1 text2.2 ');
  });

  it('fails every reader of a rendering that fails, and none after', async () => {
    let fails = true;
    async function* render(): AsyncGenerator<string> {
      yield 'a';
      if (fails) throw new Error('no values');
    }
    const shared = shareRendering(render, () => 0);
    const outcomes = await Promise.allSettled([joined(shared('text')), joined(shared('text'))]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    fails = false;
    expect(await joined(shared('text'))).to.equal('a');
  });
});
