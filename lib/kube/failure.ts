import { KubeError, type KubeFailure } from './api.ts';

/** A request as its failure names it. */
export interface Asked {
  /** The verb that RBAC knows it by. */
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'delete';
  readonly group: string;
  /** '' asks what the group has. */
  readonly plural: string;
  /** '' means all. */
  readonly namespace: string;
  readonly name?: string;
}

/** An answer other than 2xx: its `Status` object as far as it could be read. */
export interface Refusal {
  readonly code: number;
  readonly retryAfterMs?: number | undefined;
  readonly status?: unknown;
}

/** `list of taskruns.svc.dev in all namespaces`: the request in words. */
export function asWords(asked: Asked): string {
  return `${asked.verb} of ${what(asked)}`;
}

function what({ group, plural, namespace, name }: Asked): string {
  if (plural === '') return `the versions of API group "${group}"`;
  const resource = group === '' ? plural : `${plural}.${group}`;
  const object = name === undefined ? resource : `${resource} "${name}"`;
  return `${object} in ${namespace === '' ? 'all namespaces' : `namespace "${namespace}"`}`;
}

type Sentence = (asked: Asked, code: number) => string;

const refused: Sentence = (asked, code) => `the API server answered ${code} to ${asWords(asked)}`;
const busy: Sentence = (asked, code) => `the API server is too busy (${code}) for ${asWords(asked)}`;

const byCode: Readonly<Record<number, readonly [KubeFailure, Sentence]>> = {
  401: [
    'unauthorized',
    (asked) => `the API server does not accept our credentials for ${asWords(asked)}: none, expired or not valid`,
  ],
  403: ['forbidden', (asked) => `the API server forbids ${asWords(asked)}`],
  404: ['absent', (asked) => `the API server has no ${what(asked)}`],
  409: ['conflict', (asked) => `${asWords(asked)} conflicts with what the API server has`],
  410: ['expired', (asked) => `the API server no longer has the version that ${asWords(asked)} asked for`],
  429: ['busy', busy],
  503: ['busy', busy],
};

const future: readonly [KubeFailure, Sentence] = [
  'future',
  (asked) => `the API server has not reached the version that ${asWords(asked)} asked for`,
];

/**
 * The error behind an answer other than 2xx, or behind the Status of a watch's ERROR line: one sentence, with the
 * server's own words at its end.
 *
 * A 403 is put down to RBAC only where the server says so: a namespace that terminates forbids as well.
 */
export function answerError(asked: Asked, { code, retryAfterMs, status }: Refusal): KubeError {
  const { message, causes } = readStatus(status);
  const [failure, sentence] = isFuture(message, causes) ? future : (byCode[code] ?? ['refused', refused]);
  const lacks = code === 403 && / cannot \w+ resource /.test(message) ? `: ${lacking(asked)}` : '';
  const said = message === '' ? '' : `; it said: ${message}`;
  const oldestVersion = failure === 'expired' ? tooOld.exec(message)?.[1] : undefined;
  return new KubeError(failure, `${sentence(asked, code)}${lacks}${said}`, { code, retryAfterMs, oldestVersion });
}

// kube-apiserver's watch cache (k8s.io/apiserver, pkg/storage/cacher/watch_cache.go): what was asked for, and the
// version that it can watch from.
const tooOld = /^too old resource version: \d+ \((\d+)\)$/;

function lacking({ verb, plural, group }: Asked): string {
  return `RBAC lacks verb "${verb}" on resource "${plural}" in API group "${group}"`;
}

/** The error behind the Status object that a watch's ERROR line carries. */
export function errorLine(asked: Asked, status: unknown): KubeError {
  const { code, retryAfterMs } = readStatus(status);
  return answerError(asked, { code, retryAfterMs, status });
}

// kube-apiserver says it from its cache with a cause, etcd itself only in words (seen on 1.36).
function isFuture(message: string, causes: readonly unknown[]): boolean {
  if (causes.some((cause) => fieldsOf(cause).reason === 'ResourceVersionTooLarge')) return true;
  return /too large resource version|is a future revision/i.test(message);
}

interface Status {
  readonly code: number;
  /** One line of at most 300 characters. */
  readonly message: string;
  readonly causes: readonly unknown[];
  readonly retryAfterMs: number | undefined;
}

function readStatus(status: unknown): Status {
  const { code, message, details } = fieldsOf(status);
  const { causes, retryAfterSeconds } = fieldsOf(details);
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message.replace(/\s+/g, ' ').trim().slice(0, 300) : '',
    causes: Array.isArray(causes) ? causes : [],
    retryAfterMs: typeof retryAfterSeconds === 'number' ? retryAfterSeconds * 1000 : undefined,
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
