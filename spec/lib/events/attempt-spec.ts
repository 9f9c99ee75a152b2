import { expect } from 'chai';
import { attemptOf } from '../../../lib/events/attempt.ts';

describe('attemptOf', () => {
  for (const status of [200, 202, 204, 299]) {
    it(`takes ${status} for delivered`, () => {
      expect(attemptOf(status, undefined)).to.deep.equal({ outcome: 'delivered', status });
    });
  }

  const failures = [
    [199, 'broken'],
    [301, '3xx'],
    [304, '3xx'],
    [400, '4xx'],
    [429, '4xx'],
    [500, '5xx'],
    [599, '5xx'],
    [600, 'broken'],
  ] as const;
  for (const [status, result] of failures) {
    it(`takes ${status} for a failure, ${result}`, () => {
      const want = { outcome: 'failed', result, problem: `answered ${status}`, retryAfterMs: 5000 };
      expect(attemptOf(status, 5000)).to.deep.equal(want);
    });
  }
});
