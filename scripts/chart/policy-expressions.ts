import type { KeyDescription } from '../../config/describe-keys.ts';
import { patterns, type Shape, shapeOf } from './formats.ts';

/** A text as a CEL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

const raw = (pattern: string) => `r'${pattern}'`;
const listOf = (words: readonly string[]) => `[${words.map(literal).join(', ')}]`;

type Predicates = {
  readonly [Type in Shape['type']]: (shape: Extract<Shape, { type: Type }>, value: string) => string;
};

/** Whether a text is of its format, as a CEL expression over `value`; the same texts as `config/formats` accept. */
const predicates: Predicates = {
  words: ({ words }, value) => `${value} in ${listOf(words)}`,
  list: ({ words }, value) => `${value}.split(',').all(part, part.trim() in ${listOf(words)})`,
  duration: ({ min, max }, value) =>
    `${value} != '' && ${value}.matches(${raw(patterns.duration)}) && ` +
    `duration(${value}) >= duration('${min}') && duration(${value}) <= duration('${max}')`,
  whole: ({ min, max }, value) =>
    `${value}.matches(${raw(patterns.whole)}) && int(${value}) >= ${min} && int(${value}) <= ${max}`,
  rate: (_, value) => `${value}.matches(${raw(patterns.rate)})`,
  endpoint: (_, value) =>
    `${value}.matches(${raw(patterns.endpoint)}) && int(${value}.substring(${value}.lastIndexOf(':') + 1)) <= 65535 && ` +
    `isURL('http://' + ${value}.replace('https://', '').replace('http://', ''))`,
  sink: (_, value) =>
    `${value}.matches(${raw(patterns.sink)}) && !${value}.matches(${raw('[\\s\\p{Z}\\p{Cc}]')}) && isURL(${value})`,
};

function predicate<Type extends Shape['type']>(shape: Extract<Shape, { type: Type }>, value: string): string {
  const write = predicates[shape.type] as (shape: Shape, value: string) => string;
  return write(shape, value);
}

/** What a problem shows of a wrong text where that is not the text in quotes. No part of a sink is ever shown. */
function shown(shape: Shape, value: string): string {
  if (shape.type === 'endpoint') return `${value}.contains('@') ? '' : strings.quote(${cut(value)})`;
  if (shape.type !== 'sink') return "''";
  const faults = [
    ['[\\s\\p{Z}\\p{Cc}]', 'a text with white space in it'],
    ['^/', 'a path without a scheme and host'],
    ['^(?i)https?:', 'one that cannot be read as a URL'],
    ['^(?i)[a-z][a-z0-9+.-]*://', 'a URL with another scheme'],
  ] as const;
  const chain = faults.map(([pattern, words]) => `${value}.matches(${raw(pattern)}) ? ${literal(words)} : `).join('');
  return `${chain}'a text that is no URL'`;
}

const cut = (value: string) => `size(${value}) > 80 ? ${value}.substring(0, 80) : ${value}`;

/**
 * A CEL list of `[key, expected, shown]`: one entry when the key has a wrong value, else none.
 *
 * `optional` says that the empty text means the same as leaving the key out.
 */
export function wrongEntry({ key, allowed }: KeyDescription, optional: boolean): string {
  const shape = shapeOf(allowed);
  const value = `variables.data[${literal(key)}]`;
  const unset = optional ? `${value} != '' && ` : '';
  const entry = `[[${literal(key)}, ${literal(allowed)}, ${shown(shape, value)}]]`;
  return `(${literal(key)} in variables.data && ${unset}!(${predicate(shape, value)}) ? ${entry} : [])`;
}

/** A CEL list of one sentence where `key` is `value` and `needs` has no value, else empty. */
export function missingEntry({ key, value, needs, sentence }: Need): string {
  const data = 'variables.data';
  const given = `${literal(key)} in ${data} && ${data}[${literal(key)}] == ${literal(value)}`;
  const missing = `!(${literal(needs)} in ${data} && ${data}[${literal(needs)}] != '')`;
  return `(${given} && ${missing} ? [${literal(sentence)}] : [])`;
}

/** A value of one key that needs a value of another. */
export interface Need {
  readonly key: string;
  readonly value: string;
  readonly needs: string;
  /** What `parseMap` says when it is missing. */
  readonly sentence: string;
}
