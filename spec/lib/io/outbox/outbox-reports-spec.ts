import { expect } from 'chai';
import { outboxReports } from '../../../../lib/io/outbox/outbox-reports.ts';
import { recordedLog } from '../../../support/recorded-log.ts';
import { recordedMeasure } from '../../../support/recorded-measure.ts';

function reporting() {
  const [log, measure] = [recordedLog(), recordedMeasure()];
  const reports = outboxReports({ log, measure });
  const lines = () => log.lines.map(({ level, fields, sentence }) => `${level} ${JSON.stringify(fields)} ${sentence}`);
  return { reports, lines, counts: measure.counts };
}

const unwritable = 'the data dir cannot be written, events stay in memory';
const letters = 'the dead letters are full, dropped events are not kept';

describe('outboxReports', () => {
  it('says an error once until it is over, and counts each', () => {
    const { reports, lines, counts } = reporting();
    reports.failed(new Error('disk is full'));
    reports.failed('gone');
    expect(reports.failures).to.equal(2);
    reports.written();
    expect(reports.failures).to.equal(0);
    reports.failed(new Error('again'));
    expect(lines()).to.deep.equal([
      `error {"problem":"disk is full"} ${unwritable}`,
      `debug {"problem":"gone"} ${unwritable}`,
      'info {} the data dir can be written again',
      `error {"problem":"again"} ${unwritable}`,
    ]);
    expect([...counts]).to.deep.equal([['outbox_write_failures_total', 3]]);
  });

  it('says nothing of a write after a write', () => {
    const { reports, lines } = reporting();
    reports.written();
    reports.written();
    expect(lines()).to.deep.equal([]);
  });

  it('counts letters that were kept without a word', () => {
    const { reports, lines, counts } = reporting();
    reports.letters(2, 0);
    reports.letters(0, 0);
    expect(lines()).to.deep.equal([]);
    expect([...counts]).to.deep.equal([['dead_letters_total{outcome="kept"}', 2]]);
  });

  it('warns of the first letters that found no room', () => {
    const { reports, lines, counts } = reporting();
    reports.letters(1, 3);
    reports.letters(0, 4);
    expect(lines()).to.deep.equal([`warn {"refused":3} ${letters}`, `debug {"refused":4} ${letters}`]);
    expect(Object.fromEntries(counts)).to.deep.equal({
      'dead_letters_total{outcome="kept"}': 1,
      'dead_letters_total{outcome="refused"}': 7,
    });
  });

  it('says what is lost: what was told, and a data dir that was corrupt', () => {
    const { reports, lines, counts } = reporting();
    reports.toldGivenUp();
    reports.movedAside('outbox.db.corrupt-1');
    expect(lines()).to.deep.equal([
      'warn {} what was told is given up: too many runs wait for the data dir',
      'error {"movedAside":"outbox.db.corrupt-1"} the data dir was corrupt: it is moved aside, and what it held is lost',
    ]);
    expect([...counts]).to.deep.equal([['outbox_told_given_up_total', 1]]);
  });
});
