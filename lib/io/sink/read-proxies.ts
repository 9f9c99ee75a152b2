import { BlockList, isIP } from 'node:net';

/** The proxy on the way to a URL; undefined: none, go there directly. */
export type ProxyOf = (url: URL) => URL | undefined;

/** Goes everywhere directly. */
export const noProxy: ProxyOf = () => undefined;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say, in upper case or else in lower, as Go programs read them.
 *
 * `NO_PROXY` takes names (with all below them; with a leading dot only those), addresses, CIDR ranges, each with a
 * port or without, and `*`. Loopback never goes through a proxy. Throws one sentence about a proxy that is none: it
 * names the variable, never its value, which may hold a password.
 */
export function readProxies(env: Environment): ProxyOf {
  const proxies: Readonly<Record<string, URL | undefined>> = {
    'https:': readProxy('HTTPS_PROXY', env),
    'http:': readProxy('HTTP_PROXY', env),
  };
  const exceptions = variable('NO_PROXY', env)
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(readException);
  return (url) => {
    const proxy = proxies[url.protocol];
    const host = { name: hostOf(url), port: url.port || (url.protocol === 'https:' ? '443' : '80') };
    return proxy === undefined || isLoopback(host) || exceptions.some((covers) => covers(host)) ? undefined : proxy;
  };
}

function variable(name: string, env: Environment): string {
  return (env[name] || env[name.toLowerCase()] || '').trim();
}

function readProxy(name: string, env: Environment): URL | undefined {
  const text = variable(name, env);
  if (text === '') return undefined;
  const url = text.includes('://') ? text : `http://${text}`;
  const proxy = URL.canParse(url) ? new URL(url) : undefined;
  if (proxy !== undefined && /^https?:$/.test(proxy.protocol) && isDecodable(proxy)) return proxy;
  throw new Error(`${name}: expected http://host:port or https://host:port, got something else`);
}

function isDecodable({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

interface Host {
  /** Lower case, without brackets and without the dot at the end. */
  readonly name: string;
  readonly port: string;
}

type Covers = (host: Host) => boolean;

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

const isLoopback: Covers = ({ name }) => name === 'localhost' || isIn(loopback, name);

function isIn(list: BlockList, name: string): boolean {
  const version = isIP(name);
  return version !== 0 && list.check(name, version === 6 ? 'ipv6' : 'ipv4');
}

function readException(entry: string): Covers {
  if (entry === '*') return () => true;
  const [, bare = entry, port] = /^(.*[^:]|\[.*\]):(\d+)$/.exec(isIP(entry) === 0 ? entry : '') ?? [];
  const covers = coversName(bare.replace(/^\[|\]$/g, '').toLowerCase());
  return (host) => (port === undefined || port === host.port) && covers(host);
}

function coversName(name: string): Covers {
  const [address = '', bits] = name.split('/', 2);
  if (isIP(address) !== 0) return coversAddresses(address, bits);
  const suffix = name.replace(/^\*?\./, '.').replace(/\.$/, '');
  if (suffix.startsWith('.')) return (host) => host.name.endsWith(suffix);
  return (host) => host.name === suffix || host.name.endsWith(`.${suffix}`);
}

function coversAddresses(address: string, bits: string | undefined): Covers {
  const [family, most] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const);
  const length = bits === undefined ? most : Number(bits);
  const list = new BlockList();
  // What is no range covers nothing, as everywhere.
  if (Number.isInteger(length) && length >= 0 && length <= most) list.addSubnet(address, length, family);
  return ({ name }) => isIn(list, name);
}
