import { expect } from 'chai';
import type { Verdict } from '../../faults/judge.ts';
import { report } from '../../faults/report.ts';
import type { RowResult } from '../../faults/try-row.ts';
import { worstOfEach } from '../../faults/worst.ts';

const clean: Verdict = {
  sent: 10,
  lost: [],
  sameId: 0,
  otherId: [],
  outOfOrder: [],
  unexpected: [],
  p50Ms: 1,
  p99Ms: 2,
  refused: 0,
};

function result(verdict: Partial<Verdict>, more: Partial<RowResult> = {}): RowResult {
  return { name: 'a fault', server: 'sandbox', verdict: { ...clean, ...verdict }, remarks: [], good: true, ...more };
}

describe('a row that was tried more than once', () => {
  it('shows the worst of each number, whichever try it is of', () => {
    const tries = [result({ sameId: 3 }), result({ lost: ['a'], p99Ms: 9 }, { good: false }), result({ refused: 7 })];
    expect(worstOfEach(tries)).to.deep.equal([
      result({ sameId: 3, lost: ['a'], p99Ms: 9, refused: 7 }, { good: false }),
    ]);
  });

  it('says every remark, and is red with any of them', () => {
    const remarked = (value: string, good: boolean) => result({}, { remarks: [{ name: 'most', value, good }], good });
    const [worst] = worstOfEach([remarked('3', true), remarked('12', false)]);
    expect(worst).to.deep.include({ remarks: [{ name: 'most', value: '3 / 12', good: false }], good: false });
  });

  it('stays apart from the same row on another server, and from one that was not tried', () => {
    const skipped: RowResult = { name: 'b', server: 'sandbox', skipped: 'why', remarks: [], good: true };
    const tries = [result({}), result({}, { server: 'cluster' }), skipped, skipped];
    expect(worstOfEach(tries)).to.deep.equal([tries[0], tries[1], skipped]);
  });
});

describe('the report', () => {
  it('has the command, the versions, how long it took and the table', () => {
    const servers = [{ name: 'cluster', versions: ['etcd 3.6.8'], seconds: 90 }];
    const text = report({
      results: [result({}), result({})],
      command: 'npm run faults -- --times 2',
      times: 2,
      servers,
    });
    expect(text).to.match(/^\d{4}-\d\d-\d\d, Node\.js \S+, \d+ cores, etcd 3\.6\.8: `npm run faults -- --times 2`\n/);
    expect(text).to.contain('tried 2 times and the worst is shown. All rows once: cluster 1.5 min.\n\n| server |');
    expect(text.trimEnd().split('\n').slice(-1)).to.deep.equal([
      '| sandbox | a fault | 10 | 0 | 0 | 0 | 0 | 1.0 ms | 2.0 ms | 0 |  |',
    ]);
  });
});
