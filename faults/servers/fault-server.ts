import type { Json } from '../../lib/sandbox/api/stored-object.ts';
import type { Spy } from './spy.ts';

export const serverNames = ['sandbox', 'cluster'] as const;

export type ServerName = (typeof serverNames)[number];

/** An API server that can be written to and made to fail. */
export interface FaultServer {
  readonly name: ServerName;
  /** What it is made of: `kube-apiserver v1.36.3`; empty where that is this tree. */
  readonly versions: readonly string[];
  /** For the controller; its connections can be cut. */
  readonly kubeconfigFile: string;
  /** For a controller whose requests are to be seen. */
  readonly spiedKubeconfigFile: string;
  readonly spy: Spy;
  freshNamespace(): Promise<string>;
  /** Creates an object of a collection (`/apis/...`); gives it as stored. */
  create(collection: string, object: Json): Promise<Json>;
  /** Writes the whole status of an object that only we write; gives it as stored. Waits through outages. */
  writeStatus(collection: string, object: Json, status: Json): Promise<Json>;
  remove(collection: string, name: string): Promise<void>;
  writeMap(namespace: string, name: string, data: Readonly<Record<string, string>>): Promise<void>;
  removeMap(namespace: string, name: string): Promise<void>;
  /** Nobody answers until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Cuts the controller's watches. */
  cut(): void;
  /** Forgets every version but the present. */
  compact(): Promise<void>;
  /** Kills and starts the storage; undefined where there is none. */
  readonly restartStorage: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}
