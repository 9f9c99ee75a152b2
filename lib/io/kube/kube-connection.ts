/** What a TLS connection to the API server is made with; empty over plain http. */
export interface KubeTls {
  readonly ca?: Buffer | string;
  readonly cert?: Buffer | string;
  readonly key?: Buffer | string;
  /** false with `insecure-skip-tls-verify`. */
  readonly rejectUnauthorized?: boolean;
  /** The name that the server's certificate must carry, where it is not the URL's. */
  readonly servername?: string;
}

/** Where the API server is and how it knows us. */
export interface KubeConnection {
  /** With the path that a proxying server may ask for, without a slash at its end. */
  readonly serverUrl: string;
  /** The namespace that the kubeconfig's context or the service account stands in. */
  readonly namespace: string | undefined;
  /** Asked for every new connection: a rotated certificate is picked up. Rejects with a KubeError `unauthorized`. */
  tls(): Promise<KubeTls>;
  /** Headers for every request, from memory while they are good. Rejects with a KubeError `unauthorized`. */
  authorization(): Promise<Readonly<Record<string, string>>>;
  /**
   * Forgets what is in memory, after a 401 or where the server is not trusted: the next question reads the files or
   * asks the plugin anew.
   */
  refresh(): void;
}

/** A connection without any credentials: for a server on loopback. */
export function openConnection(serverUrl: string): KubeConnection {
  return {
    serverUrl: serverUrl.replace(/\/$/, ''),
    namespace: undefined,
    tls: async () => ({}),
    authorization: async () => ({}),
    refresh() {},
  };
}
