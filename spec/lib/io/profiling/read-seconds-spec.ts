import { expect } from 'chai';
import { readSeconds } from '../../../../lib/io/profiling/read-seconds.ts';

describe('readSeconds', () => {
  const rows = [
    { url: '/debug/pprof/profile', want: 30 },
    { url: '/debug/pprof/profile?debug=1', want: 30 },
    { url: '/debug/pprof/profile?seconds=1', want: 1 },
    { url: '/debug/pprof/profile?debug=1&seconds=300', want: 300 },
    { url: '/?seconds=301', want: 'seconds: expected a whole number from 1 to 300, got "301"' },
  ];
  for (const { url, want } of rows) {
    it(`reads ${want} from ${url}`, () => expect(readSeconds(url)).to.equal(want));
  }
});
