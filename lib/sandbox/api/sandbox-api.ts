import type { IncomingHttpHeaders } from 'node:http';
import type { Profile } from '../../profile.ts';
import type { Resource } from '../../run/run.ts';
import type { RunVersions, ServedType } from './served-types.ts';
import type { StoredObject } from './stored-object.ts';

/** A request as an `intercept` sees it, before anything was done with it; its body is not read yet. */
export interface InterceptedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/** What becomes of a request instead: no answer ever, a cut connection, or this answer. */
export type Interception =
  | 'pass'
  | 'hang'
  | 'reset'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Sent as it is when text, else as JSON. */
      readonly body?: unknown;
    };

export interface SandboxApiOptions {
  readonly profile: Profile;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** When given, requests without it are answered 401, as a kube-apiserver without anonymous access does. */
  readonly token?: string;
  /** Default: TaskRuns and PipelineRuns v1, CustomRuns v1beta1. */
  readonly versions?: Partial<RunVersions>;
  /** Namespaces there from the start besides `default` and the profile's own. */
  readonly namespaces?: readonly string[];
  /** Default 60,000, a kube-apiserver's. */
  readonly bookmarkIntervalMs?: number;
  /** Changes kept for watches and lists of the past. Default 20,000. */
  readonly historyLimit?: number;
  /** Default 600,000: what a kube-apiserver compacting every five minutes keeps at most. */
  readonly historyAgeMs?: number;
  /** Objects that may exist; more are answered 500 as by a full etcd. Default 200,000. */
  readonly objectLimit?: number;
  /** Watches open at once; more are answered 429. Default 1,000. */
  readonly watchLimit?: number;
  /** How long Events stay. Default 3,600,000, a kube-apiserver's. */
  readonly eventTtlMs?: number;
  readonly nowMs?: () => number;
  /** Asked before every request: the place for outages. */
  readonly intercept?: (request: InterceptedRequest) => Interception;
}

/** A running in-memory Kubernetes API, and the ways around its front door that specs and simulators take. */
export interface SandboxApi {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  readonly types: readonly ServedType[];
  /** The revision of the last write. */
  readonly revision: number;
  readonly watchCount: number;
  /**
   * Writes a whole object, spec and status in one version, made or replaced; missing system metadata is filled in,
   * a missing namespace made. Throws an ApiError on a body that the API would refuse.
   */
  apply(object: Resource): StoredObject;
  /** Merges a patch into an object, status included. Throws an ApiError when there is none. */
  patch(plural: string, namespace: string, name: string, patch: Resource): StoredObject;
  /** Throws an ApiError when there is none. */
  remove(plural: string, namespace: string, name: string): void;
  get(plural: string, namespace: string, name: string): StoredObject | undefined;
  /** Objects in list order; `namespace` '' for all. */
  list(plural: string, namespace: string): readonly StoredObject[];
  /** Forgets what is older than a revision, by default all but the present. */
  compact(revision?: number): void;
  /** Ends every watch: politely as a server shutting down does, or by cutting the connection. */
  closeWatches(how?: 'end' | 'cut'): void;
  /** Closes all connections and the port. */
  close(): Promise<void>;
}
