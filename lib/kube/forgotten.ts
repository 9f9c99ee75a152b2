import { KubeError } from './api.ts';

/**
 * Whether a read at a version failed because the server has no such version to read: its storage has forgotten it
 * (410), or it is none to be asked for (400). Any other answer says nothing about the version: it may be there.
 */
export function isForgotten(error: unknown): boolean {
  return error instanceof KubeError && (error.failure === 'expired' || error.code === 400);
}
