import type { Profile } from '../../profile.ts';
import { type Kind, kindNames } from '../../run/kind.ts';
import type { Resource } from '../../run/run.ts';
import { ApiError } from '../api/api-error.ts';
import type { SandboxApi } from '../api/sandbox-api.ts';
import { apiVersionOf } from '../api/served-types.ts';
import { jsonAt, type StoredObject, textAt } from '../api/stored-object.ts';
import { Agenda } from './agenda.ts';
import type { ScriptedCondition } from './lives.ts';
import { type Owner, runManifest } from './run-manifest.ts';
import { runStatus } from './run-status.ts';

/** What the simulator needs of the API. */
export type SimulatedApi = Pick<SandboxApi, 'types' | 'apply' | 'patch' | 'remove' | 'get'>;

/** A run on stage. */
export interface Actor {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiVersion: string;
  readonly neverStarts: boolean;
}

interface Options {
  readonly api: SimulatedApi;
  readonly profile: Profile;
  readonly namespace: string;
  readonly random: () => number;
  readonly nowMs: () => number;
  /** Told of every ScriptedCondition written. */
  readonly onCondition: (kind: Kind, condition: ScriptedCondition) => void;
}

interface Entrance {
  readonly kind: Kind;
  readonly ref: string;
  /** What the name begins with. */
  readonly stem: string;
  readonly specStatus?: string | undefined;
  readonly neverStarts?: boolean | undefined;
  readonly owner?: Owner | undefined;
}

const letters = 'bcdfghjklmnpqrstvwxz2456789';

/** Where runs are made and changed: the only part of the simulator that writes. */
export class Stage {
  readonly agenda = new Agenda();
  readonly random: () => number;
  /** The simulator's own clock, ms since its start. */
  elapsedMs = 0;
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
    this.random = options.random;
  }

  /** Does something so much later, more or less: half to one and a half times. */
  later(afterMs: number, act: () => void): void {
    this.agenda.add(this.elapsedMs + afterMs * (0.5 + this.random()), act);
  }

  enter({ kind, ref, stem, specStatus, neverStarts = false, owner }: Entrance): Actor {
    const { api, profile, namespace } = this.#options;
    const type = api.types.find((one) => one.kind === kind);
    const apiVersion = type === undefined ? '' : apiVersionOf(type);
    const name = `${stem}-${Array.from({ length: 5 }, () => letters[Math.floor(this.random() * letters.length)]).join('')}`;
    const object = api.apply(runManifest(profile, { kind, apiVersion, namespace, name, ref, specStatus, owner }));
    return { kind, namespace, name, uid: object.metadata.uid, apiVersion, neverStarts };
  }

  /** The run as it stands; undefined when somebody deleted it. */
  present({ kind, namespace, name, uid }: Actor): StoredObject | undefined {
    const found = this.#options.api.get(kindNames[kind].plural, namespace, name);
    return found?.metadata.uid === uid ? found : undefined;
  }

  /** `spec.status`, by which anybody parks and cancels runs; '' without one. */
  asked(actor: Actor): string {
    return textAt(jsonAt(this.present(actor), 'spec'), 'status');
  }

  /** Writes the condition and all that goes with it, and more status if given. */
  tell(actor: Actor, condition: ScriptedCondition, more: Resource = {}): void {
    const present = this.present(actor);
    if (present === undefined) return;
    const { nowMs, onCondition } = this.#options;
    const status = { ...runStatus({ ...actor, condition, present, nowMs: nowMs() }), ...more };
    this.#patch(actor, { status });
    onCondition(actor.kind, condition);
  }

  /** Writes `spec.status`; '' takes it out. */
  ask(actor: Actor, specStatus: string): void {
    if (this.present(actor) !== undefined) this.#patch(actor, { spec: { status: specStatus || null } });
  }

  leave({ kind, namespace, name }: Actor): void {
    try {
      this.#options.api.remove(kindNames[kind].plural, namespace, name);
    } catch (error) {
      // Somebody deleted it before us, as anybody with kubectl may.
      if (!(error instanceof ApiError && error.code === 404)) throw error;
    }
  }

  #patch({ kind, namespace, name }: Actor, patch: Resource): void {
    this.#options.api.patch(kindNames[kind].plural, namespace, name, patch);
  }
}
