import { qualifiedName, type ServedType } from './served-types.ts';

/** The body of every answer that is no object: `kind: Status`. */
interface StatusBody {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly code?: number;
}

interface Failure {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Goes into the Status' own metadata. */
  readonly continueToken?: string;
}

/** A request refused: the Status that a kube-apiserver would answer. */
export class ApiError extends Error {
  readonly body: StatusBody;
  readonly code: number;

  constructor({ code, reason, message, details, continueToken }: Failure) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: continueToken === undefined ? {} : { continue: continueToken },
      status: 'Failure',
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }
}

const about = (type: ServedType, name: string) => ({
  name,
  ...(type.group === '' ? {} : { group: type.group }),
  kind: type.plural,
});

const modified = 'the object has been modified; please apply your changes to the latest version and try again';

const oldContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

/** Every refusal that the sandbox knows, in the words of a kube-apiserver: clients match on them. */
export const apiErrors = {
  unauthorized: () => new ApiError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' }),
  badRequest: (message: string) => new ApiError({ code: 400, reason: 'BadRequest', message }),
  notFound: (type: ServedType, name: string) =>
    new ApiError({
      code: 404,
      reason: 'NotFound',
      message: `${qualifiedName(type)} "${name}" not found`,
      details: about(type, name),
    }),
  noNamespace: (name: string) =>
    new ApiError({
      code: 404,
      reason: 'NotFound',
      message: `namespaces "${name}" not found`,
      details: { name, kind: 'namespaces' },
    }),
  noResource: () =>
    new ApiError({
      code: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
      details: {},
    }),
  methodNotAllowed: (verb: string, type: ServedType) =>
    new ApiError({
      code: 405,
      reason: 'MethodNotAllowed',
      message: `${verb} is not supported on resources of kind "${qualifiedName(type)}"`,
      details: about(type, ''),
    }),
  notAcceptable: () =>
    new ApiError({
      code: 406,
      reason: 'NotAcceptable',
      message: 'only the following media types are accepted: application/json',
    }),
  alreadyExists: (type: ServedType, name: string) =>
    new ApiError({
      code: 409,
      reason: 'AlreadyExists',
      message: `${qualifiedName(type)} "${name}" already exists`,
      details: about(type, name),
    }),
  conflict: (type: ServedType, name: string, why = modified) =>
    new ApiError({
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on ${qualifiedName(type)} "${name}": ${why}`,
      details: about(type, name),
    }),
  expiredList: () =>
    new ApiError({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    }),
  expiredContinue: (continueToken: string) =>
    new ApiError({ code: 410, reason: 'Expired', message: oldContinue, continueToken }),
  expiredWatch: (revision: number, oldest: number) =>
    new ApiError({ code: 410, reason: 'Expired', message: `too old resource version: ${revision} (${oldest})` }),
  tooLarge: () =>
    new ApiError({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    }),
  unsupportedMediaType: (accepted: readonly string[]) =>
    new ApiError({
      code: 415,
      reason: 'UnsupportedMediaType',
      message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
    }),
  invalid: (subject: string, name: string, problem: string) =>
    new ApiError({ code: 422, reason: 'Invalid', message: `${subject} "${name}" is invalid: ${problem}` }),
  tooManyRequests: () =>
    new ApiError({
      code: 429,
      reason: 'TooManyRequests',
      message: 'too many requests, please try again later',
      details: { retryAfterSeconds: 1 },
    }),
  futureVersion: (wanted: number, current: number) =>
    new ApiError({
      code: 504,
      reason: 'Timeout',
      message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    }),
  full: () => new ApiError({ code: 500, message: 'etcdserver: mvcc: database space exceeded' }),
  versionOnCreate: () =>
    new ApiError({ code: 500, message: 'resourceVersion should not be set on objects to be created' }),
};
