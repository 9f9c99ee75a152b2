import { expect } from 'chai';
import { profiles } from '../../../../lib/profile.ts';
import { ApiError } from '../../../../lib/sandbox/api/api-error.ts';
import { parseSelector } from '../../../../lib/sandbox/api/selector.ts';
import { defaultRunVersions, servedTypes } from '../../../../lib/sandbox/api/served-types.ts';
import type { StoredObject } from '../../../../lib/sandbox/api/stored-object.ts';

const events = servedTypes(profiles.svc, defaultRunVersions).find(({ plural }) => plural === 'events');
if (events === undefined) throw new Error('expected the sandbox to serve events');
const type = events;

function object(labels?: Readonly<Record<string, string>>): StoredObject {
  const metadata = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: labels === undefined ? metadata : { ...metadata, labels },
    reason: 'Started',
    involvedObject: 'not an object',
  };
}

function problemOf(labels: string, fields: string): string {
  try {
    parseSelector(type, labels, fields);
    return 'none';
  } catch (error) {
    return error instanceof ApiError ? `${error.code} ${error.message}` : 'another error';
  }
}

describe('parseSelector', () => {
  const labelled = object({ app: 'shop', tier: 'web', empty: '' });
  const labelCases: readonly (readonly [string, boolean])[] = [
    ['app', true],
    ['other', false],
    ['!other', true],
    ['! app', false],
    ['app=shop', true],
    ['app == shop', true],
    ['app=other', false],
    ['empty=', true],
    ['app!=shop', false],
    ['app != other', true],
    ['other!=shop', true],
    ['app in (shop, other)', true],
    ['app in (other)', false],
    ['other in ()', false],
    ['empty in ()', true],
    ['app notin (shop)', false],
    ['app notin (other,one)', true],
    ['other notin (shop)', true],
    ['app in (shop,other),tier=web', true],
    ['app in (shop,other),tier=db', false],
  ];
  for (const [selector, want] of labelCases) {
    it(`${want ? 'lets through' : 'holds back'} by ${selector}`, () => {
      expect(parseSelector(type, selector, '')?.(labelled)).to.equal(want);
    });
  }

  it('takes an object without labels for one whose labels are empty', () => {
    expect(parseSelector(type, '!app', '')?.(object())).to.equal(true);
    expect(parseSelector(type, 'app', '')?.(object())).to.equal(false);
  });

  const fieldCases: readonly (readonly [string, boolean])[] = [
    ['metadata.name=a', true],
    ['metadata.name==b', false],
    ['metadata.name!=b', true],
    ['metadata.name!=a', false],
    ['reason=Started,metadata.name=a', true],
    ['reason=Started,metadata.name=b', false],
    ['metadata.namespace=', true],
    ['involvedObject.name=a', false],
    ['involvedObject.name=', true],
  ];
  for (const [selector, want] of fieldCases) {
    it(`${want ? 'lets through' : 'holds back'} by field ${selector}`, () => {
      expect(parseSelector(type, '', selector)?.(labelled)).to.equal(want);
    });
  }

  it('wants labels and fields both', () => {
    expect(parseSelector(type, 'app=shop', 'metadata.name=a')?.(labelled)).to.equal(true);
    expect(parseSelector(type, 'app=other', 'metadata.name=a')?.(labelled)).to.equal(false);
    expect(parseSelector(type, 'app=shop', 'metadata.name=b')?.(labelled)).to.equal(false);
  });

  it('is nothing when nothing is asked', () => {
    expect(parseSelector(type, '', '')).to.equal(undefined);
  });

  const refusals: readonly (readonly [string, string, string])[] = [
    ['a b', '', "400 unable to parse requirement: found 'a b', expected: a label requirement"],
    ['app,', '', "400 unable to parse requirement: found '', expected: a label requirement"],
    ['', 'metadata.name', "400 invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['', 'spec.node=a', '400 field label not supported: spec.node'],
  ];
  for (const [labels, fields, want] of refusals) {
    it(`refuses ${JSON.stringify(labels || fields)}`, () => {
      expect(problemOf(labels, fields)).to.equal(want);
    });
  }
});
