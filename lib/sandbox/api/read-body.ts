import type { IncomingMessage } from 'node:http';
import { apiErrors } from './api-error.ts';

/** A kube-apiserver's limit for one body, bytes. */
const bodyLimit = 3 * 1024 * 1024;

/**
 * A request's body as JSON and its content type without parameters; an empty body is undefined. Throws an
 * ApiError: 413 past the limit, 415 for another type than those accepted, 400 for what is no JSON.
 */
export async function readBody(
  request: IncomingMessage,
  accepted: readonly string[],
): Promise<{ readonly body: unknown; readonly contentType: string }> {
  const text = await readText(request);
  const contentType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  // Without a type a body is taken for JSON where JSON will do, as a kube-apiserver takes it.
  const untyped = contentType === '' && accepted.includes('application/json');
  if (text === '' && (untyped || accepted.includes(contentType))) return { body: undefined, contentType };
  if (!untyped && !accepted.includes(contentType)) throw apiErrors.unsupportedMediaType(accepted);
  return { body: parsed(text), contentType };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > bodyLimit) throw apiErrors.tooLarge();
  }
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw apiErrors.badRequest("couldn't get version/kind; json parse error: expected a JSON body");
  }
}
