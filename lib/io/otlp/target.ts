/** What is pushed; each has its own environment variables and its own path over HTTP. */
export type Signal = 'metrics' | 'traces';

/** Where one signal is pushed, as settings and environment say it. */
export interface OtlpTarget {
  readonly protocol: 'grpc' | 'http/protobuf';
  /** `host:port`, `http://host:port` or `https://host:port`. */
  readonly endpoint: string | undefined;
  /** What `host:port` means: the profile's `behaviour.bareEndpoint`. */
  readonly bareEndpoint: 'plaintext' | 'tls';
  /** Headers and the names of certificate files: read when an exporter is built. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Something that pushes until it is shut down. Neither promise rejects. */
export interface Exporter {
  /** Pushes what there is now. */
  flush(): Promise<void>;
  /** Pushes what there is, then lets go of every connection and timer; ends within `shutdownTimeoutMs`. */
  shutdown(): Promise<void>;
}

/** What one push came to. */
export type ExportResult =
  | { readonly ok: true; readonly items: number }
  | {
      readonly ok: false;
      /** One clause for a log; never a header, never the endpoint. */
      readonly problem: string;
      /** Whether the same push may go well later. */
      readonly retryable: boolean;
    };
