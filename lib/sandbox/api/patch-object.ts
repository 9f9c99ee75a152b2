import { apiErrors } from './api-error.ts';
import { isJson, type Json } from './stored-object.ts';

/** A patch type by its content type, each a function from the object and the patch to the patched object. */
export const patchTypes: Readonly<Record<string, (target: Json, patch: unknown) => Json>> = {
  'application/merge-patch+json': mergePatch,
  'application/json-patch+json': jsonPatch,
};

/** RFC 7396: objects merge, null removes, anything else replaces. Throws a 400 on a patch that is no object. */
export function mergePatch(target: Json, patch: unknown): Json {
  if (!isJson(patch)) throw apiErrors.badRequest('error decoding patch: expected a JSON object');
  return merge(target, patch);
}

function merge(target: unknown, patch: Json): Json {
  const merged: Record<string, unknown> = isJson(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete merged[field];
    else merged[field] = isJson(value) ? merge(merged[field], value) : value;
  }
  return merged;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/**
 * RFC 6902 on a copy. Throws a 400 on a patch that is no list of operations, a 422 in a kube-apiserver's words
 * on one that does not apply: a missing path, a failed test.
 */
export function jsonPatch(target: Json, patch: unknown): Json {
  if (!Array.isArray(patch) || !patch.every(isOperation)) {
    throw apiErrors.badRequest('error decoding patch: expected a JSON array of operations');
  }
  const root = { '': structuredClone(target) };
  for (const operation of patch) operate(root, operation);
  return root[''];
}

function isOperation(value: unknown): value is Operation {
  return isJson(value) && typeof value.op === 'string' && typeof value.path === 'string';
}

const refused = () => apiErrors.invalid('patch', '', 'the server rejected our request due to an error in our request');

const operations: Readonly<Record<string, (root: Json, operation: Operation) => void>> = {
  add: (root, { path, value }) => insert(root, path, structuredClone(value)),
  replace: (root, { path, value }) => {
    take(root, path);
    insert(root, path, structuredClone(value));
  },
  remove: (root, { path }) => void take(root, path),
  move: (root, { path, from = '' }) => insert(root, path, take(root, from)),
  copy: (root, { path, from = '' }) => insert(root, path, structuredClone(read(root, from))),
  test: (root, { path, value }) => {
    if (JSON.stringify(read(root, path)) !== JSON.stringify(value)) throw refused();
  },
};

function operate(root: Json, operation: Operation): void {
  const apply = operations[operation.op];
  if (apply === undefined) throw refused();
  apply(root, operation);
}

/** The container that a JSON pointer ends in, and the last step into it. */
function locate(root: Json, path: string): { readonly holder: Record<string, unknown> | unknown[]; step: string } {
  const steps = path.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const step = steps.pop() ?? '';
  let holder: unknown = root;
  for (const inner of steps) {
    if (Array.isArray(holder)) holder = holder[Number(inner)];
    else if (isJson(holder) && Object.hasOwn(holder, inner)) holder = holder[inner];
    else throw refused();
  }
  if (Array.isArray(holder) || isJson(holder)) return { holder, step };
  throw refused();
}

function read(root: Json, path: string): unknown {
  const { holder, step } = locate(root, path);
  return Array.isArray(holder) ? holder[Number(step)] : Object.hasOwn(holder, step) ? holder[step] : undefined;
}

function take(root: Json, path: string): unknown {
  const { holder, step } = locate(root, path);
  const index = Number(step);
  if (!Array.isArray(holder)) {
    if (!Object.hasOwn(holder, step)) throw refused();
    const value = holder[step];
    delete holder[step];
    return value;
  }
  if (!(index in holder)) throw refused();
  return holder.splice(index, 1)[0];
}

function insert(root: Json, path: string, value: unknown): void {
  const { holder, step } = locate(root, path);
  if (!Array.isArray(holder)) {
    // An own property whatever its name: `__proto__` in a pointer must not reach the prototype.
    Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true });
    return;
  }
  const index = step === '-' ? holder.length : Number(step);
  if (!(index >= 0 && index <= holder.length)) throw refused();
  holder.splice(index, 0, value);
}
