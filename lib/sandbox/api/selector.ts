import { apiErrors } from './api-error.ts';
import type { ServedType } from './served-types.ts';
import { isJson, type StoredObject } from './stored-object.ts';

/** Whether an object is wanted. */
export type Selector = (object: StoredObject) => boolean;

type Labels = Readonly<Record<string, string>>;
type Requirement = (labels: Labels) => boolean;

const name = '([A-Za-z0-9][A-Za-z0-9._/-]*)';
const listOf = (text: string | undefined) => (text ?? '').split(',').map((value) => value.trim());

/** The label requirements of section "Labels and Selectors" of the Kubernetes documentation, a row each. */
const forms: readonly { readonly form: RegExp; readonly make: (key: string, rest: string) => Requirement }[] = [
  {
    form: new RegExp(`^${name}\\s+in\\s+\\(([^)]*)\\)$`),
    make: (key, rest) => (labels) => key in labels && listOf(rest).includes(labels[key] ?? ''),
  },
  {
    form: new RegExp(`^${name}\\s+notin\\s+\\(([^)]*)\\)$`),
    make: (key, rest) => (labels) => !(key in labels) || !listOf(rest).includes(labels[key] ?? ''),
  },
  {
    form: new RegExp(`^${name}\\s*!=\\s*(\\S*)$`),
    make: (key, rest) => (labels) => labels[key] !== rest,
  },
  {
    form: new RegExp(`^${name}\\s*==?\\s*([^=\\s]*)$`),
    make: (key, rest) => (labels) => labels[key] === rest,
  },
  { form: new RegExp(`^!\\s*${name}$`), make: (key) => (labels) => !(key in labels) },
  { form: new RegExp(`^${name}$`), make: (key) => (labels) => key in labels },
];

/** Splits at commas, but not at those inside the parentheses of `in (a,b)`. */
const termsOf = (text: string) => text.split(/,(?![^(]*\))/).map((term) => term.trim());

function labelRequirement(term: string): Requirement {
  for (const { form, make } of forms) {
    const match = form.exec(term);
    if (match !== null) return make(match[1] ?? '', match[2] ?? '');
  }
  throw apiErrors.badRequest(`unable to parse requirement: found '${term}', expected: a label requirement`);
}

function fieldRequirement(type: ServedType, term: string): Selector {
  const match = /^([A-Za-z.]+)\s*(!=|==?)\s*(.*)$/.exec(term);
  if (match === null) throw apiErrors.badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const [, path = '', operator = '', wanted = ''] = match;
  if (!type.fieldLabels.includes(path)) throw apiErrors.badRequest(`field label not supported: ${path}`);
  return (object) => (textOf(object, path) === wanted) === (operator !== '!=');
}

function textOf(object: StoredObject, path: string): string {
  const value = path.split('.').reduce<unknown>((at, field) => (isJson(at) ? at[field] : undefined), object);
  return value === undefined ? '' : String(value);
}

/**
 * What a labelSelector and a fieldSelector let through together; undefined when both are empty, which lets a list
 * count what remains. Throws a 400 on what cannot be parsed, and on a field that the resource does not index.
 */
export function parseSelector(type: ServedType, labels: string, fields: string): Selector | undefined {
  const requirements = labels === '' ? [] : termsOf(labels).map(labelRequirement);
  const selectors = fields === '' ? [] : termsOf(fields).map((term) => fieldRequirement(type, term));
  if (requirements.length + selectors.length === 0) return undefined;
  return (object) =>
    requirements.every((wants) => wants(object.metadata.labels ?? {})) && selectors.every((wants) => wants(object));
}
