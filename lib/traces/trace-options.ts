import type { Profile } from '../profile.ts';
import type { HashHex } from './ids.ts';

/** What spans are made with. */
export interface TraceOptions {
  readonly profile: Pick<Profile, 'apiGroup' | 'annotations' | 'labels'>;
  /** `tracing-sampling-rate`: 0 to 1. */
  readonly samplingRate: number;
  readonly hash: HashHex;
}
