import type { RunScript } from './run-script.ts';
import type { FaultServer, ServerName } from './servers/fault-server.ts';
import type { Stage } from './stage.ts';

/** One fault, tried by itself. */
export interface Row {
  readonly name: string;
  /** Default: both. */
  readonly servers?: readonly ServerName[];
  /** Why it cannot be tried here; undefined when it can. */
  readonly skip?: (server: FaultServer) => string | undefined;
  /** Seconds that the fault lasts; 0 where it takes as long as it takes. */
  readonly seconds: number;
  /** At least so many runs; default 300. */
  readonly runs?: number;
  /** Arguments of the controller besides those of every row. */
  readonly args?: readonly string[];
  /** The controller talks to the API server through `server.spy`. */
  readonly spied?: boolean;
  /** The controller gets a data dir on a disk of so many bytes. */
  readonly diskBytes?: number;
  /** Environment of the controller; asked at each start. */
  readonly env?: () => Readonly<Record<string, string>>;
  /** Controllers that are started before the load; default 1. Two and more elect a leader. */
  readonly replicas?: number;
  /** Default `everything`. */
  readonly lossOf?: 'everything' | 'present';
  readonly afterwards?: 'keep' | 'delete' | 'make-again';
  /** The sink answers only errors while the fault lasts: at most ten requests a second from its fifth second on. */
  readonly polite?: boolean;
  readonly onDone?: (stage: Stage, script: RunScript) => void;
  /** Does the harm, and undoes it. The load is under way. */
  readonly harm: (stage: Stage) => Promise<void>;
}
