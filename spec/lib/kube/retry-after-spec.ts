import { expect } from 'chai';
import { retryAfterMs } from '../../../lib/kube/retry-after.ts';

describe('retryAfterMs', () => {
  const nowMs = Date.UTC(2026, 0, 1);
  for (const { header, want } of [
    { header: '30', want: 30_000 },
    { header: ' 0 ', want: 0 },
    { header: 'Thu, 01 Jan 2026 00:00:05 GMT', want: 5000 },
    { header: 'Wed, 31 Dec 2025 23:59:59 GMT', want: 0 },
    { header: 'soon', want: undefined },
    { header: '-5', want: undefined },
    { header: '1.5', want: undefined },
    { header: '', want: undefined },
    { header: undefined, want: undefined },
    { header: ['1', '2'], want: undefined },
  ]) {
    it(`reads ${JSON.stringify(header)} as ${want}`, () => expect(retryAfterMs(header, nowMs)).to.equal(want));
  }
});
