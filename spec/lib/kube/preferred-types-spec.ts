import { expect } from 'chai';
import { preferredTypes } from '../../../lib/kube/preferred-types.ts';

const served = (version: string, ...plurals: string[]) => ({
  version,
  resources: plurals.map((plural) => ({ plural, kind: plural.toUpperCase() })),
});

describe('preferredTypes', () => {
  const rows = [
    { title: 'the preferred version first', versions: [served('v1beta1', 'a'), served('v1', 'a')], want: ['v1/a'] },
    {
      title: 'the first that has it',
      versions: [served('v3', 'b'), served('v1', 'a'), served('v2', 'b')],
      want: ['v1/a', 'v3/b'],
    },
    { title: 'no subresource', versions: [served('v1', 'a', 'a/status')], want: ['v1/a'] },
    { title: 'nothing of nothing', versions: [], want: [] },
  ];
  for (const { title, versions, want } of rows) {
    it(`takes ${title}`, () => {
      const types = preferredTypes('svc.dev', 'v1', versions);
      expect(types.map(({ version, plural }) => `${version}/${plural}`)).to.deep.equal(want);
      for (const { group, kind, plural } of types)
        expect([group, kind]).to.deep.equal(['svc.dev', plural.toUpperCase()]);
    });
  }
});
