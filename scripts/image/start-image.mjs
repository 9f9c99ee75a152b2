import { spawn } from 'node:child_process';

// As a container runtime does it: own mounts, a read-only root, /proc and nothing else of the machine but its network.
const script = `
mount --bind "$0" "$0"
mount -o remount,bind,ro "$0"
mount -t proc -o ro proc "$0/proc"
mount -t tmpfs tmpfs "$0/dev"
mknod -m 666 "$0/dev/null" c 1 3
user=$1; shift
exec chroot --userspec="$user" "$0" "$@"
`;

/** Starts an image's entry point with more arguments, as its user, on a read-only root. Needs root. */
export function startImage({ root, user, entrypoint, env }, args) {
  const command = ['--mount', '--', 'sh', '-euc', script, root, user, ...entrypoint, ...args];
  return spawn('unshare', command, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}
