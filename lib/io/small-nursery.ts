import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the space that new objects are made in as small as it is now: 4 MB with its copy, once the modules are loaded.
 *
 * Nearly all that this process makes is garbage at once, and Node lets that space grow to 100 MB that no limit knows
 * of. Small, it stays in the processor's cache: 100,000 runs listed are 180 MB instead of 246, and a watch event costs
 * a tenth less. Called before the modules are loaded it keeps 1 MB, out of which too much is moved before it is
 * garbage: 220 MB, and a sixth more time to start. What has grown does not shrink. The flag is read only when the space
 * is about to grow; `--max-semi-space-size` has no effect any more once Node is up.
 */
export function keepNurserySmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
