import { expect } from 'chai';
import { type Asked, answerError, asWords, errorLine } from '../../../lib/kube/failure.ts';

const list: Asked = { verb: 'list', group: 'svc.dev', plural: 'taskruns', namespace: '' };
const create: Asked = { verb: 'create', group: '', plural: 'events', namespace: 'x' };
const get: Asked = { verb: 'get', group: 'coordination.k8s.io', plural: 'leases', namespace: 'x', name: 'l' };

describe('answerError', () => {
  const cannot = 'User "u" cannot list resource "taskruns" in API group "svc.dev" at the cluster scope';
  const rows = [
    {
      asked: list,
      code: 403,
      status: { message: cannot },
      failure: 'forbidden',
      message:
        'the API server forbids list of taskruns.svc.dev in all namespaces: RBAC lacks verb "list" on resource ' +
        `"taskruns" in API group "svc.dev"; it said: ${cannot}`,
    },
    {
      asked: create,
      code: 403,
      status: { message: 'namespace x is being terminated' },
      failure: 'forbidden',
      message: 'the API server forbids create of events in namespace "x"; it said: namespace x is being terminated',
    },
    {
      asked: list,
      code: 401,
      status: undefined,
      failure: 'unauthorized',
      message:
        'the API server does not accept our credentials for list of taskruns.svc.dev in all namespaces: none, ' +
        'expired or not valid',
    },
    {
      asked: get,
      code: 404,
      status: null,
      failure: 'absent',
      message: 'the API server has no leases.coordination.k8s.io "l" in namespace "x"',
    },
    {
      asked: create,
      code: 409,
      status: { message: 3 },
      failure: 'conflict',
      message: 'create of events in namespace "x" conflicts with what the API server has',
    },
    {
      asked: list,
      code: 410,
      status: 'gone',
      failure: 'expired',
      message: 'the API server no longer has the version that list of taskruns.svc.dev in all namespaces asked for',
    },
    {
      asked: create,
      code: 503,
      status: {},
      failure: 'busy',
      message: 'the API server is too busy (503) for create of events in namespace "x"',
    },
    {
      asked: create,
      code: 422,
      status: { message: 'two\n lines ' },
      failure: 'refused',
      message: 'the API server answered 422 to create of events in namespace "x"; it said: two lines',
    },
    {
      asked: list,
      code: 504,
      status: { message: 'Timeout', details: { causes: [null, { reason: 'ResourceVersionTooLarge' }] } },
      failure: 'future',
      message:
        'the API server has not reached the version that list of taskruns.svc.dev in all namespaces asked for; it ' +
        'said: Timeout',
    },
  ];
  for (const { asked, code, status, failure, message } of rows) {
    it(`puts ${code} to a ${asked.verb} in one sentence`, () => {
      const error = answerError(asked, { code, status });
      expect({ failure: error.failure, code: error.code, message: error.message }).to.deep.equal({
        failure,
        code,
        message,
      });
    });
  }

  for (const said of [
    'Too large resource version: 9, current: 5',
    'etcdserver: mvcc: required revision is a future revision',
  ]) {
    it(`knows a version of the future by "${said}"`, () => {
      expect(answerError(list, { code: 500, status: { message: said } }).failure).to.equal('future');
    });
  }

  it('cuts what the server says at 300 characters', () => {
    const { message } = answerError(create, { code: 500, status: { message: 'x'.repeat(10_000) } });
    expect(message.length).to.be.lessThan(400);
  });
});

describe('errorLine', () => {
  it('reads code and wait from the Status', () => {
    const error = errorLine(list, { code: 429, message: 'slow', details: { retryAfterSeconds: 3 } });
    expect([error.failure, error.code, error.retryAfterMs]).to.deep.equal(['busy', 429, 3000]);
  });

  it('takes a Status without a code for refused', () => {
    expect(errorLine(list, {}).failure).to.equal('refused');
  });
});

describe('asWords', () => {
  it('names what a group has', () => {
    expect(asWords({ ...list, verb: 'get', plural: '' })).to.equal('get of the versions of API group "svc.dev"');
  });
});
