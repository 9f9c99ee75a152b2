/** Who talks to which API server, and whom it must prove to be. */
interface KubeconfigOptions {
  readonly server: string;
  readonly caFile: string;
  readonly token: string;
}

/** A kubeconfig of one context, as text; JSON, which every reader of YAML takes. */
export function kubeconfig({ server, caFile, token }: KubeconfigOptions): string {
  const name = 'spec';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    clusters: [{ name, cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name, user: { token } }],
  });
}
