import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the space that new objects are made in as small as it begins, 4 MB with its copy. Imported for its effect,
 * before anything else: what has grown does not shrink.
 *
 * Nearly all that this process makes is garbage at once, and Node lets that space grow to 100 MB that no limit knows
 * of. Small, it stays in the processor's cache: 100,000 runs listed are 192 MB instead of 246, and a watch event costs
 * a tenth less. The flag is read only when the space is about to grow; `--max-semi-space-size` has no effect any more
 * once Node is up.
 */
setFlagsFromString('--semi-space-growth-factor=1');
