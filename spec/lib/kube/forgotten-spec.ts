import { expect } from 'chai';
import { KubeError, type KubeFailure } from '../../../lib/kube/api.ts';
import { answerError } from '../../../lib/kube/failure.ts';
import { isForgotten } from '../../../lib/kube/forgotten.ts';

const asked = { verb: 'list', group: 'svc.dev', plural: 'taskruns', namespace: '' } as const;

describe('isForgotten', () => {
  for (const [code, want] of [
    [410, true],
    [400, true],
    [403, false],
    [404, false],
    [422, false],
    [429, false],
    [500, false],
    [503, false],
    [504, false],
  ] as const) {
    it(`is ${want} for ${code}`, () => expect(isForgotten(answerError(asked, { code }))).to.equal(want));
  }

  it('is false where no answer came', () => {
    const failures: readonly KubeFailure[] = ['unreachable', 'malformed', 'silent'];
    for (const failure of failures) expect(isForgotten(new KubeError(failure, 'no answer'))).to.equal(false);
    expect(isForgotten(new TypeError('a bug'))).to.equal(false);
  });
});
