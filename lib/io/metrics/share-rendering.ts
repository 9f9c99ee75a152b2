import type { Format } from '../../metrics/exposition.ts';

/** One chunk of a rendering, and the way to the next: made once, whoever asks first, and again for nobody. */
interface Link {
  readonly chunk: string;
  readonly next: Next;
}

type Next = () => Promise<Link | undefined>;

/** A rendering that others may still join from its first chunk. */
interface Open {
  readonly first: Next;
  readonly startedMs: number;
  readers: number;
}

/** How long a rendering can be joined: what a scrape shows is never older than this. */
const joinableMs = 1000;

/** How many chunks (of 64 KB) are kept for those who might join. */
const joinableChunks = 16;

/**
 * Renders once for scrapes of one format that come together.
 *
 * A reader pulls: one that is alone holds a chunk, or the first 16 while others might join. Readers of a shared
 * rendering go at the pace of the fastest; a slower one holds what that one has read ahead, never more than one
 * exposition. When the last reader leaves early, the rendering stops where it is.
 */
export function shareRendering(
  render: (format: Format) => AsyncIterable<string>,
  now: () => number,
): (format: Format) => AsyncIterable<string> {
  const open = new Map<Format, Open>();

  function close(format: Format, rendering: Open): void {
    if (open.get(format) === rendering) open.delete(format);
  }

  function join(format: Format): Open {
    const found = open.get(format);
    if (found !== undefined && now() - found.startedMs <= joinableMs) return found;
    const rendering: Open = { first: linked(render(format)[Symbol.asyncIterator]()), startedMs: now(), readers: 0 };
    open.set(format, rendering);
    return rendering;
  }

  return async function* read(format) {
    const rendering = join(format);
    rendering.readers += 1;
    try {
      yield* walk(rendering.first, (chunks) => {
        if (chunks >= joinableChunks) close(format, rendering);
      });
      close(format, rendering);
    } finally {
      rendering.readers -= 1;
      if (rendering.readers === 0) close(format, rendering);
    }
  };
}

async function* walk(first: Next, onRead: (chunks: number) => void): AsyncGenerator<string, void, undefined> {
  let link = await first();
  for (let chunks = 1; link !== undefined; chunks += 1) {
    onRead(chunks);
    yield link.chunk;
    link = await link.next();
  }
}

function linked(chunks: AsyncIterator<string>): Next {
  let pending: Promise<Link | undefined> | undefined;
  return () => {
    pending ??= chunks.next().then(({ done, value }) => (done ? undefined : { chunk: value, next: linked(chunks) }));
    return pending;
  };
}
