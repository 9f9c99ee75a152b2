import type { Profile } from '../../lib/profile.ts';
import type { ApiClient } from './api-client.ts';
import { crds } from './crds.ts';

/** A service account by the two names that make it one. */
export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

/** Whether the API server says that it is ready; rejects while nobody listens. */
export async function isReady({ ask }: ApiClient): Promise<boolean> {
  const { status } = await ask('GET', '/readyz');
  return status === 200;
}

/**
 * Whether runs of every kind can be listed.
 *
 * A new resource answers 429 ("storage is (re)initializing") for a moment after it is Established, and a server
 * that has just become ready may not have heard of it: only a list that works tells.
 */
export async function listsRuns({ ask }: ApiClient, profile: Profile): Promise<boolean> {
  const lists = crds(profile).map(({ listPath }) => ask('GET', `${listPath}?limit=1`));
  return (await Promise.all(lists)).every(({ status }) => status === 200);
}

/** Makes the three kinds of run known; rejects with the server's answer when it takes one not. */
export async function createCrds({ ask }: ApiClient, profile: Profile): Promise<void> {
  for (const { listPath: _, ...crd } of crds(profile)) {
    const { status, body } = await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    if (status !== 201) throw new Error(`${crd.metadata.name}: expected 201, got ${status} ${JSON.stringify(body)}`);
  }
}

/** Makes a namespace where it is missing. */
export async function createNamespace({ ask }: Pick<ApiClient, 'ask'>, name: string): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  const { status } = await ask('POST', '/api/v1/namespaces', namespace);
  if (status !== 201 && status !== 409) throw new Error(`namespace ${name}: expected 201 or 409, got ${status}`);
}

/** A token of a service account, valid for an hour; the account is made where it is missing. */
export async function requestToken({ ask }: ApiClient, { namespace, name }: ServiceAccount): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await ask('POST', accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  const { status, body } = await ask('POST', `${accounts}/${name}/token`, review);
  if (status !== 201) throw new Error(`token of ${namespace}/${name}: expected 201, got ${status}`);
  return (body as { readonly status: { readonly token: string } }).status.token;
}
