import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own that can be filled to the last byte. */
export interface SmallDisk {
  readonly dir: string;
  /** Leaves no room. */
  fill(): void;
  /** Gives back the room that `fill` took. */
  free(): void;
  /** Takes it away, whoever still has a file of it open. */
  close(): void;
}

/** Why there can be no small disk here, in one clause; undefined when there can. */
export function smallDiskProblem(): string | undefined {
  try {
    openSmallDisk(1 << 20).close();
    return undefined;
  } catch {
    return 'a tmpfs cannot be mounted here, which needs root';
  }
}

/** Mounts a tmpfs of so many bytes; throws where that is not allowed. */
export function openSmallDisk(bytes: number): SmallDisk {
  const dir = mkdtempSync(join(tmpdir(), 'faults-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', dir]);
  if (mounted.status !== 0) {
    rmdirSync(dir);
    throw new Error(`expected to mount a tmpfs, got: ${mounted.stderr ?? mounted.error}`);
  }
  const ballast = join(dir, 'ballast');
  return {
    dir,
    fill: () => fillUp(ballast),
    free: () => rmSync(ballast, { force: true }),
    close: () => {
      spawnSync('umount', ['--lazy', dir]);
      rmdirSync(dir);
    },
  };
}

/** Writes until the disk says that it is full. */
function fillUp(file: string): void {
  const fd = openSync(file, 'a');
  try {
    for (const bytes of [1 << 20, 1 << 12, 1]) {
      const block = Buffer.alloc(bytes);
      while (tryWrite(fd, block));
    }
  } finally {
    closeSync(fd);
  }
}

function tryWrite(fd: number, block: Buffer): boolean {
  try {
    return writeSync(fd, block) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
