import { expect } from 'chai';
import { configMapType, leaseType } from '../../../lib/kube/api.ts';
import { apiVersionOf, queryString, resourcePath } from '../../../lib/kube/path.ts';

describe('resourcePath', () => {
  for (const { got, want } of [
    { got: resourcePath(configMapType, ''), want: '/api/v1/configmaps' },
    { got: resourcePath(configMapType, 'x'), want: '/api/v1/namespaces/x/configmaps' },
    { got: resourcePath(leaseType, 'x', 'a/b'), want: '/apis/coordination.k8s.io/v1/namespaces/x/leases/a%2Fb' },
  ]) {
    it(`gives ${want}`, () => expect(got).to.equal(want));
  }
});

describe('queryString', () => {
  it('leaves out what has no value', () => {
    expect(queryString({ a: 1, b: undefined, c: 'x y&z', d: '' })).to.equal('?a=1&c=x%20y%26z&d=');
    expect(queryString({ b: undefined })).to.equal('');
  });
});

describe('apiVersionOf', () => {
  it('has no group for the core types', () => {
    expect([configMapType, leaseType].map(apiVersionOf)).to.deep.equal(['v1', 'coordination.k8s.io/v1']);
  });
});
