import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';
import { KubeError } from '../../kube/api.ts';
import { codeOf } from '../error-code.ts';
import type { KubeConnection, KubeTls } from './kube-connection.ts';
import { mustRead } from './must-read.ts';

/** A cluster and who we are there. */
export interface Identity {
  readonly cluster: Cluster;
  readonly user: User;
  /** A token that changes on disk; it goes before any other of the user's. */
  readonly tokenFile?: string | undefined;
  readonly namespace?: string | undefined;
}

interface Credentials {
  readonly tls: KubeTls;
  readonly headers: Readonly<Record<string, string>>;
}

// A rotated token lies on disk long before the old one expires (client-go reads it once a minute too). A plugin
// keeps its own until it expires: it is asked often, so that one is not used beyond that.
const keepMs = { tokenFile: 60_000, plugin: 5_000, fixed: 60_000 };

/**
 * The connection of an identity: its files are read and its plugin is run when they are first needed, and again
 * when what they gave is old or was refused.
 *
 * Rejects with an Error of one sentence when a file that it names cannot be read.
 */
export async function connectionWith(identity: Identity, now: () => number): Promise<KubeConnection> {
  const { cluster, user, tokenFile, namespace } = identity;
  const files = {
    CA: cluster.caFile,
    'client certificate': user.certFile,
    'client key': user.keyFile,
    token: tokenFile,
  };
  for (const [what, file] of Object.entries(files)) {
    if (file) mustRead(file, `cluster "${cluster.name}": ${what}`);
  }

  const freshConfig = await configFactory(identity);
  const livesMs = keepMs[tokenFile !== undefined ? 'tokenFile' : user.exec || user.authProvider ? 'plugin' : 'fixed'];
  let config = freshConfig();
  let known: { readonly credentials: Promise<Credentials>; readonly untilMs: number } | undefined;

  const credentials = () => {
    if (known === undefined || now() >= known.untilMs) {
      const asked = credentialsFrom(config, identity);
      known = { credentials: asked, untilMs: now() + livesMs };
      // A failure is not kept: the plugin may work the next time.
      asked.catch(() => {
        if (known?.credentials === asked) known = undefined;
      });
    }
    return known.credentials;
  };

  return {
    serverUrl: cluster.server,
    namespace,
    tls: async () => (await credentials()).tls,
    authorization: async () => (await credentials()).headers,
    refresh() {
      known = undefined;
      // A plugin's credentials are remembered inside.
      config = freshConfig();
    },
  };
}

async function configFactory({ cluster, user }: Identity): Promise<() => KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  // It refuses plain http otherwise; there is no TLS to skip.
  const skipTLSVerify = cluster.skipTLSVerify || cluster.server.startsWith('http:');
  return () => {
    const config = new KubeConfig();
    config.loadFromClusterAndUser({ ...cluster, skipTLSVerify }, user);
    return config;
  };
}

async function credentialsFrom(config: KubeConfig, { user, tokenFile }: Identity): Promise<Credentials> {
  const options: RequestOptions & { headers: Record<string, string> } = { headers: {} };
  try {
    await config.applyToHTTPSOptions(options);
    if (tokenFile !== undefined) options.headers.Authorization = `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`;
  } catch (error) {
    throw new KubeError('unauthorized', `no credentials for the API server: ${why(user, error)}`);
  }
  if (options.auth) options.headers.Authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  return { tls: tlsOf(options), headers: options.headers };
}

function tlsOf({ ca, cert, key, rejectUnauthorized, servername }: RequestOptions): KubeTls {
  const given = Object.entries({ ca, cert, key, rejectUnauthorized, servername }).filter(
    ([, value]) => value !== undefined,
  );
  return Object.fromEntries(given);
}

// What a plugin printed stays out of the sentence: it may be the token.
function why(user: User, error: unknown): string {
  const code = codeOf(error);
  if (user.exec) {
    const reason = code === '' ? 'it failed or printed no ExecCredential' : `it cannot be started (${code})`;
    return `credential plugin "${user.exec.command}": ${reason}`;
  }
  return `a file cannot be read or a provider failed${code === '' ? '' : ` (${code})`}`;
}
