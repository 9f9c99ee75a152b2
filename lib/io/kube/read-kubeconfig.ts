import { readFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import type { Identity } from './connection-with.ts';
import { mustRead } from './must-read.ts';

type Json = Record<string, unknown>;

/**
 * The cluster and user of the current context of one or more kubeconfig files.
 *
 * Of two entries with one name the first counts, as with kubectl; paths are relative to the file they stand in.
 * Rejects with an Error of one sentence for what is missing; a file's text is never part of it, it holds keys.
 */
export async function readKubeconfig(files: readonly string[]): Promise<Identity> {
  const from = `kubeconfig ${files.join(delimiter)}`;
  const read = await Promise.all(files.map(readFile));
  const contextName = read
    .map(({ currentContext }) => currentContext)
    .find((name) => name !== undefined && name !== '');
  if (contextName === undefined) throw new Error(`${from}: expected a current-context, got none`);

  const of = `of context "${contextName}"`;
  const contexts = read.flatMap((config) => config.contexts);
  const context = named(contexts, contextName, `${from}: current-context`);
  const clusters = read.flatMap((config) => config.clusters);
  const cluster = named(clusters, context.cluster, `${from}: cluster ${of}`);
  const users = read.flatMap((config) => config.users);
  const user = context.user === undefined ? { name: '' } : named(users, context.user, `${from}: user ${of}`);

  if (cluster.proxyUrl !== undefined) throw new Error(`${from}: proxy-url is not supported, got one ${of}`);
  if (!URL.canParse(cluster.server) || !/^https?:/.test(cluster.server)) {
    throw new Error(`${from}: server ${of}: expected an http or https URL, got "${cluster.server}"`);
  }
  const tokenFile: unknown = user.authProvider?.config?.tokenFile;
  return {
    cluster,
    user,
    tokenFile: typeof tokenFile === 'string' ? tokenFile : undefined,
    namespace: context.namespace,
  };
}

function named<T extends { readonly name: string }>(list: readonly T[], name: string, what: string): T {
  const found = list.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const known = list.map((entry) => entry.name).join(' | ');
  throw new Error(`${what}: expected ${known === '' ? 'one that is defined' : known}, got "${name}"`);
}

async function readFile(file: string): Promise<KubeConfig> {
  mustRead(file, `kubeconfig ${file}`);
  const directory = dirname(resolve(file));
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config = new KubeConfig();
  try {
    config.loadFromString(JSON.stringify(completed(parse(readFileSync(file, 'utf8')), directory)));
  } catch (error) {
    const missing = error instanceof Error ? / is missing$/.exec(error.message) : null;
    const came = missing === null ? 'something else' : `one where ${missing.input}`;
    throw new Error(`kubeconfig ${file}: expected YAML of kind Config, got ${came}`);
  }
  config.makePathsAbsolute(directory);
  return config;
}

/** The file's content with what client-node does not know: `tokenFile`, and a plugin's path relative to the file. */
function completed(content: Json, directory: string): Json {
  const users = Array.isArray(content.users) ? content.users : [];
  return { ...content, users: users.map((entry) => ({ ...entry, user: completedUser(entry?.user ?? {}, directory) })) };
}

function completedUser(user: Json, directory: string): Json {
  const { tokenFile, exec, ...rest } = user;
  const provider = typeof tokenFile === 'string' && { name: 'file', config: { tokenFile: from(directory, tokenFile) } };
  const plugin = typeof exec === 'object' && exec !== null ? withEnvironment(exec as Json, directory) : undefined;
  return { ...rest, ...(provider ? { 'auth-provider': provider } : {}), ...(plugin ? { exec: plugin } : {}) };
}

function from(directory: string, path: string): string {
  return isAbsolute(path) ? path : join(directory, path);
}

function withEnvironment(exec: Json, directory: string): Json {
  const { command, env, apiVersion } = exec;
  // Plugins ask this variable which version to answer in; a bare command is looked up in PATH.
  const info = JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: { interactive: false } });
  return {
    ...exec,
    command: typeof command === 'string' && command.includes('/') ? from(directory, command) : command,
    env: [...(Array.isArray(env) ? env : []), { name: 'KUBERNETES_EXEC_INFO', value: info }],
  };
}
