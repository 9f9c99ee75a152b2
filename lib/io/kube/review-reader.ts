import { type KubeApi, KubeError, type ResourceType } from '../../kube/api.ts';
import { field, text } from '../../run/fields.ts';

/** What the API server says of whoever brings a token. */
export type Verdict =
  | { readonly outcome: 'allowed' }
  /** The token is none of the cluster's, is for somebody else, or no longer counts. */
  | { readonly outcome: 'unauthenticated' }
  | { readonly outcome: 'forbidden'; readonly user: string };

const tokenReviewType: ResourceType = {
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'tokenreviews',
  kind: 'TokenReview',
};
const accessReviewType: ResourceType = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
};

/**
 * Asks the API server whom a token names (TokenReview), and then whether they may `get` a path that is no resource
 * (SubjectAccessReview). Rejects with a KubeError, or with the signal's reason.
 */
export async function reviewReader(
  api: Pick<KubeApi, 'create'>,
  { token, path }: { readonly token: string; readonly path: string },
  signal: AbortSignal,
): Promise<Verdict> {
  const known = await api.create(tokenReviewType, '', { ...typeOf(tokenReviewType), spec: { token } }, signal);
  const status = statusOf(known, 'authenticated');
  if (field(status, 'authenticated') !== true) return { outcome: 'unauthenticated' };
  const user = text(status, 'user', 'username');
  const spec = { ...subjectOf(field(status, 'user')), nonResourceAttributes: { path, verb: 'get' } };
  const access = await api.create(accessReviewType, '', { ...typeOf(accessReviewType), spec }, signal);
  return field(statusOf(access, 'allowed'), 'allowed') === true
    ? { outcome: 'allowed' }
    : { outcome: 'forbidden', user };
}

function typeOf({ group, version, kind }: ResourceType) {
  return { apiVersion: `${group}/${version}`, kind };
}

/** The fields of a user as the other review calls them; what a token may be restricted to stands in `extra`. */
function subjectOf(user: unknown): Readonly<Record<string, unknown>> {
  const { username, uid, groups, extra } = { ...(user as object) } as Readonly<Record<string, unknown>>;
  return { user: username, uid, groups, extra };
}

/** An answer without the field that was asked for is no answer: nobody is let in or kept out by it. */
function statusOf(review: unknown, asked: 'authenticated' | 'allowed'): unknown {
  const status = field(review, 'status');
  // A server leaves out `authenticated` where it is false.
  if (typeof status === 'object' && status !== null) return status;
  throw new KubeError('malformed', `expected a review with status.${asked}, got one without a status`);
}
