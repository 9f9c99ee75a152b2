import type { ControllerProcess } from '../spec/support/controller-process.ts';
import type { Ledger } from './ledger.ts';
import type { Load } from './load.ts';
import type { NumberedSink } from './numbered-sink.ts';
import type { FaultServer } from './servers/fault-server.ts';
import type { SmallDisk } from './small-disk.ts';

/** A controller process, and the end of the path that it posts to. */
export type Replica = ControllerProcess & { readonly path: string };

/** What a row has before it: a server, a sink, controllers between them, and a load. */
export interface Stage {
  readonly server: FaultServer;
  readonly namespace: string;
  readonly sink: NumberedSink;
  readonly ledger: Ledger;
  readonly load: Load;
  /** Where the data dir is; undefined where the row wants none. */
  readonly disk: SmallDisk | undefined;
  /** How long the fault is to last, s. */
  readonly seconds: number;
  /** Controllers that run, in the order of their start. */
  readonly controllers: Replica[];
  /** Those, and the ones that have ended. */
  readonly everStarted: readonly Replica[];
  /** Keys that the sink will never take. */
  readonly untakeable: Set<string>;
  readonly remarks: Remark[];
  /** When the sink began to answer only errors, and stopped to; ms. */
  readonly errors: { fromMs: number; toMs: number };
  /** Names the sink in the config map. */
  pointAtSink(path?: string): Promise<void>;
  /** Starts another controller; settles when it is synced, or standing by. */
  start(): Promise<Replica>;
  /** Ends the only controller with a signal and gives its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  wait(seconds: number): Promise<void>;
}

/** What a row may say beside its numbers. */
export interface Remark {
  readonly name: string;
  readonly value: string;
  /** False turns the row red. */
  readonly good: boolean;
}
