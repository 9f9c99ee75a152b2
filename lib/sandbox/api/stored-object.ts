/** `metadata` as the sandbox keeps it; fields that it does not know pass through. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
  readonly [field: string]: unknown;
}

/** One version of one object. Never changed in place: every version shares what did not change. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** A JSON object, nothing known of its fields. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a parsed JSON value is an object, as every Kubernetes body is. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object at a field, or an empty one when the field holds anything else. */
export function jsonAt(value: unknown, field: string): Json {
  const inner = isJson(value) ? value[field] : undefined;
  return isJson(inner) ? inner : {};
}

/** The text at a field, or '' when the field holds anything else. */
export function textAt(value: unknown, field: string): string {
  const inner = isJson(value) ? value[field] : undefined;
  return typeof inner === 'string' ? inner : '';
}

/** Where an object stands in its resource: `namespace/name`, `/name` without a namespace; lists are in this order. */
export function storeKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
