import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A binary of the real cluster: the Go module that pins its version, and the package that is it. */
export interface Tool {
  readonly name: string;
  /** A folder of `tools/cluster/`. */
  readonly module: string;
  readonly package: string;
  /** Linker flags, from the text of the module's go.mod. */
  readonly ldflags: (goMod: string) => string;
}

/** What specs on the real cluster run, cheapest build first. */
export const tools: readonly Tool[] = [
  { name: 'etcd', module: 'etcd', package: 'go.etcd.io/etcd/server/v3', ldflags: stripped },
  { name: 'helm', module: 'helm', package: 'helm.sh/helm/v3/cmd/helm', ldflags: stripped },
  { name: 'kubectl', module: 'kubernetes', package: 'k8s.io/kubernetes/cmd/kubectl', ldflags: kubernetesFlags },
  {
    name: 'kube-apiserver',
    module: 'kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-apiserver',
    ldflags: kubernetesFlags,
  },
];

const root = join(import.meta.dirname, '../..');

/** Where the binaries are kept between runs; git ignores it. */
export const cacheDir = join(root, '.cache/cluster');

/** Path of a tool's binary, built or not yet. */
export function binaryOf(name: string): string {
  return join(cacheDir, 'bin', name);
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
  return ['build', '-o', binaryOf(tool.name), ...buildFlags(tool)];
}

function buildFlags(tool: Tool): readonly string[] {
  const goMod = readFileSync(join(moduleDir(tool), 'go.mod'), 'utf8');
  return ['-ldflags', tool.ldflags(goMod), tool.package];
}

/** Without debug symbols: half the size, and a quicker link. */
function stripped(): string {
  return '-s -w';
}

/**
 * Linker flags of a binary of Kubernetes: what it says when asked for its version.
 *
 * A release is stamped so while linking; kubectl and helm cannot parse the placeholder that stands there otherwise.
 * Throws one sentence when go.mod requires a staging module of another release than that of `k8s.io/kubernetes`.
 */
export function kubernetesFlags(goMod: string): string {
  const [, gitVersion, minor, patch] = /^(?:require|\t)\s*k8s\.io\/kubernetes (v1\.(\d+)\.(\d+))/m.exec(goMod) ?? [];
  if (gitVersion === undefined || minor === undefined) {
    throw new Error('tools/cluster/kubernetes/go.mod: expected a requirement of k8s.io/kubernetes v1, found none');
  }
  const staging = `v0.${minor}.${patch}`;
  const stray = [...goMod.matchAll(/^\t(k8s\.io\/\S+) => \1 (v\S+)$/gm)].find(([, , version]) => version !== staging);
  if (stray !== undefined) {
    throw new Error(
      `tools/cluster/kubernetes/go.mod: expected ${stray[1]} ${staging} beside k8s.io/kubernetes ${gitVersion}, ` +
        `got ${stray[2]}`,
    );
  }
  const stamps = Object.entries({ gitVersion, gitMajor: '1', gitMinor: minor });
  return [stripped(), ...stamps.map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)].join(' ');
}
