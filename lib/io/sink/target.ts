/** A sink URL taken apart: where to connect, what to ask for, and as whom. */
export interface Target {
  readonly origin: string;
  /** Path and query; never credentials. */
  readonly path: string;
  /** Value of the Authorization header; undefined when the URL carries no credentials. */
  readonly authorization: string | undefined;
}

/** Reads a sink URL; undefined when it is none of http or https. */
export function readTarget(url: string): Target | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) return undefined;
  const { origin, pathname, search, username, password } = parsed;
  const credentials = `${decoded(username)}:${decoded(password)}`;
  const authorization = credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { origin, path: pathname + search, authorization };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
