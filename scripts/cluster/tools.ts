import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubernetesFlags, releaseOf } from './kubernetes.ts';

/** A binary of the real cluster: the Go module that pins its version, and the package that is it. */
export interface Tool {
  readonly name: string;
  /** A folder of `tools/cluster/`. */
  readonly module: string;
  readonly package: string;
  /** Linker flags, from the text of the module's go.mod. */
  readonly ldflags: (goMod: string) => string;
  /** A folder of the cache: releases of one binary stand side by side. */
  readonly folder: string;
}

/**
 * What specs on the real cluster run, cheapest build first.
 *
 * The environment variable `KUBERNETES` names the release by its minor, `1.30` for example; without it the first of
 * `releases`. Throws one sentence when that minor is not pinned.
 */
export function tools(wanted = process.env.KUBERNETES): readonly Tool[] {
  const { module, minor } = releaseOf(wanted);
  const folder = minor === releaseOf().minor ? 'bin' : `bin-${minor}`;
  const ofKubernetes = { module, ldflags: kubernetesFlags, folder };
  const others = { ldflags: stripped, folder: 'bin' };
  return [
    { name: 'etcd', module: 'etcd', package: 'go.etcd.io/etcd/server/v3', ...others },
    { name: 'helm', module: 'helm', package: 'helm.sh/helm/v3/cmd/helm', ...others },
    { name: 'kubectl', package: 'k8s.io/kubernetes/cmd/kubectl', ...ofKubernetes },
    { name: 'kube-apiserver', package: 'k8s.io/kubernetes/cmd/kube-apiserver', ...ofKubernetes },
  ];
}

const root = join(import.meta.dirname, '../..');

/** Where the binaries are kept between runs; git ignores it. */
export const cacheDir = join(root, '.cache/cluster');

/** Path of a tool's binary, built or not yet. */
export function binaryOf(name: string): string {
  const { folder } = tools().find((tool) => tool.name === name) ?? { folder: 'bin' };
  return join(cacheDir, folder, name);
}

/** The file that says what a tool's binary was made of. */
export function keyFileOf({ name, folder }: Tool): string {
  return join(cacheDir, `${name}${folder.slice('bin'.length)}.key`);
}

/** Folder of a tool's Go module. */
export function moduleDir({ module }: Tool): string {
  return join(root, 'tools/cluster', module);
}

/**
 * What a tool's binary was made of, as a hash: it changes exactly when a rebuild is due.
 *
 * Over the module's two files and the flags of the build; the same on every machine.
 */
export function buildKey(tool: Tool): string {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(moduleDir(tool), file)));
  return hash.update(JSON.stringify(buildFlags(tool))).digest('hex');
}

/** The arguments of `go` that build a tool, to be run in its module's folder. */
export function buildArguments(tool: Tool): readonly string[] {
  return ['build', '-o', join(cacheDir, tool.folder, tool.name), ...buildFlags(tool)];
}

function buildFlags(tool: Tool): readonly string[] {
  const goMod = readFileSync(join(moduleDir(tool), 'go.mod'), 'utf8');
  return ['-ldflags', tool.ldflags(goMod), tool.package];
}

/** Without debug symbols: half the size, and a quicker link. */
function stripped(): string {
  return '-s -w';
}
