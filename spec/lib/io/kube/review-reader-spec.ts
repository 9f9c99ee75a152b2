import { expect } from 'chai';
import { reviewReader } from '../../../../lib/io/kube/review-reader.ts';
import { KubeError, type ResourceType } from '../../../../lib/kube/api.ts';
import type { Resource } from '../../../../lib/run/run.ts';

const { signal } = new AbortController();
const user = { username: 'robot', uid: 'u-1', groups: ['g'], extra: { scope: ['metrics'] } };
const known = { status: { authenticated: true, user } };
const asked = { token: 't', path: '/metrics' };

/** An API server that gives these answers in turn, and what it was given. */
function answering(...answers: readonly (Resource | Error)[]) {
  const created: unknown[] = [];
  return {
    created,
    api: {
      create: async ({ group, plural }: ResourceType, namespace: string, object: Resource) => {
        created.push({ what: `${plural}.${group}`, namespace, object });
        const answer = answers[created.length - 1];
        if (answer === undefined || answer instanceof Error) throw answer ?? new Error('asked once too often');
        return answer;
      },
    },
  };
}

describe('reviewReader', () => {
  it('asks whom the token names, and whether they may get the path', async () => {
    const { api, created } = answering(known, { status: { allowed: true } });
    expect(await reviewReader(api, asked, signal)).to.deep.equal({ outcome: 'allowed' });
    expect(created).to.deep.equal([
      {
        what: 'tokenreviews.authentication.k8s.io',
        namespace: '',
        object: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 't' } },
      },
      {
        what: 'subjectaccessreviews.authorization.k8s.io',
        namespace: '',
        object: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: {
            user: 'robot',
            uid: 'u-1',
            groups: ['g'],
            extra: { scope: ['metrics'] },
            nonResourceAttributes: { path: '/metrics', verb: 'get' },
          },
        },
      },
    ]);
  });

  for (const status of [{ authenticated: false }, { user: {} }, { authenticated: 'true', user }]) {
    it(`lets nobody in, and asks no further, by ${JSON.stringify(status)}`, async () => {
      const { api, created } = answering({ status });
      expect(await reviewReader(api, asked, signal)).to.deep.equal({ outcome: 'unauthenticated' });
      expect(created.length).to.equal(1);
    });
  }

  for (const status of [{ allowed: false, reason: 'no' }, { denied: true }, { allowed: 'true' }]) {
    it(`forbids by ${JSON.stringify(status)}`, async () => {
      const { api } = answering(known, { status });
      expect(await reviewReader(api, asked, signal)).to.deep.equal({ outcome: 'forbidden', user: 'robot' });
    });
  }

  it('takes an answer without a status for none', async () => {
    for (const answers of [[{}], [known, { status: null }]]) {
      const error = await reviewReader(answering(...answers).api, asked, signal).catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(KubeError).with.property('failure', 'malformed');
    }
  });

  it('hands on what the API server refuses', async () => {
    const refused = new KubeError('forbidden', 'RBAC lacks it', { code: 403 });
    for (const answers of [[refused], [known, refused]]) {
      const error = await reviewReader(answering(...answers).api, asked, signal).catch((caught: unknown) => caught);
      expect(error).to.equal(refused);
    }
  });
});
