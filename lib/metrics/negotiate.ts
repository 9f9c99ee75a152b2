import type { Format } from './exposition.ts';

/** One alternative of an `Accept` header. */
interface Offer {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** 0 to 1; 0 refuses. */
  readonly quality: number;
}

/** Headers longer than this are not read: a client that sends one gets the default. */
const longestHeader = 4096;

function offersOf(header: string): readonly Offer[] {
  if (header.length > longestHeader) return [];
  return header.split(',').map((part) => {
    const [value = '', ...rest] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const parameters = new Map(rest.map((piece) => [piece.split('=', 1)[0] ?? '', afterEquals(piece)]));
    const quality = Number(parameters.get('q') ?? '1');
    return { value, parameters, quality: quality >= 0 && quality <= 1 ? quality : 0 };
  });
}

const afterEquals = (piece: string) => piece.slice(piece.indexOf('=') + 1).trim();

/**
 * The format that an `Accept` header asks for: OpenMetrics 1.0.0 where it weighs at least as much as text, else text.
 *
 * Text is also the answer to no header, to one that cannot be read, and to one that accepts neither: a scraper that
 * is picky about types is better served by a page it may not want than by none.
 */
export function negotiateFormat(accept: string | undefined): Format {
  let open = 0;
  let text = 0;
  for (const { value, parameters, quality } of offersOf(accept ?? '')) {
    const version = parameters.get('version');
    if (value === 'application/openmetrics-text' && (version ?? '1.0.0') === '1.0.0') open = Math.max(open, quality);
    if (value === 'text/plain' && (version ?? '0.0.4') === '0.0.4') text = Math.max(text, quality);
  }
  return open > 0 && open >= text ? 'openmetrics' : 'text';
}

/** Whether an `Accept-Encoding` header takes gzip. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const offers = offersOf(acceptEncoding ?? '');
  const named = offers.find(({ value }) => value === 'gzip' || value === 'x-gzip');
  const offer = named ?? offers.find(({ value }) => value === '*');
  return offer !== undefined && offer.quality > 0;
}
