import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A release of Kubernetes that specs can run on. */
interface KubernetesRelease {
  /** Folder of `tools/cluster/` whose go.mod pins it. */
  readonly module: string;
  /** `1.36`: how `KUBERNETES` names it. */
  readonly minor: string;
}

const folder = join(import.meta.dirname, '../../tools/cluster');

/** Every pinned release: the one that each change is tested on, then the oldest that the chart is for. */
export const releases: readonly KubernetesRelease[] = ['kubernetes', 'kubernetes-oldest'].map((module) => {
  const { major, minor } = versionIn(readFileSync(join(folder, module, 'go.mod'), 'utf8'));
  return { module, minor: `${major}.${minor}` };
});

/** The release of that minor, the first when none is named; throws one sentence when it is not pinned. */
export function releaseOf(minor = ''): KubernetesRelease {
  const [first] = releases;
  const found = minor === '' ? first : releases.find((release) => release.minor === minor);
  if (found !== undefined) return found;
  throw new Error(
    `KUBERNETES: expected ${releases.map((release) => release.minor).join(' | ')}, got ${JSON.stringify(minor)}`,
  );
}

/**
 * Linker flags of a binary of Kubernetes: what it says when asked for its version.
 *
 * A release is stamped so while linking; kubectl and helm cannot parse the placeholder that stands there otherwise.
 * Throws one sentence when go.mod requires a staging module of another release than that of `k8s.io/kubernetes`.
 */
export function kubernetesFlags(goMod: string): string {
  const { major, minor, patch } = versionIn(goMod);
  const gitVersion = `v${major}.${minor}.${patch}`;
  const staging = `v0.${minor}.${patch}`;
  const stray = [...goMod.matchAll(/^\t(k8s\.io\/\S+) => \1 (v\S+)$/gm)].find(([, , version]) => version !== staging);
  if (stray !== undefined) {
    throw new Error(`go.mod: expected ${stray[1]} ${staging} beside k8s.io/kubernetes ${gitVersion}, got ${stray[2]}`);
  }
  const stamps = Object.entries({ gitVersion, gitMajor: major, gitMinor: minor });
  return ['-s -w', ...stamps.map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)].join(' ');
}

function versionIn(goMod: string) {
  const found = /^(?:require|\t)\s*k8s\.io\/kubernetes v(?<major>1)\.(?<minor>\d+)\.(?<patch>\d+)/m.exec(goMod);
  const { major, minor, patch } = found?.groups ?? {};
  if (major === undefined || minor === undefined || patch === undefined) {
    throw new Error('go.mod: expected a requirement of k8s.io/kubernetes v1, found none');
  }
  return { major, minor, patch };
}
