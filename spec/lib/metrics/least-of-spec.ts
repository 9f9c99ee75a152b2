import { expect } from 'chai';
import { leastOf } from '../../../lib/metrics/least-of.ts';
import { noMeasure } from '../../../lib/metrics/own.ts';

const labels = { resource: 'taskruns' };

describe('leastOf', () => {
  let said: string[];
  let part: ReturnType<typeof leastOf>;
  beforeEach(() => {
    said = [];
    part = leastOf({
      ...noMeasure,
      count: (name, { resource = '' } = {}, by = 1) => said.push(`${name} ${resource} +${by}`),
      set: (name, value, { resource = '' } = {}) => said.push(`${name} ${resource} ${value}`),
    });
  });

  it('shows what a part alone sets', () => {
    part().set('resource_synced', 1, labels);
    expect(said).to.deep.equal(['resource_synced taskruns 1']);
  });

  it('shows the least of what several set, a part that has set nothing as 0', () => {
    const [a, b] = [part(), part()];
    a.set('resource_synced', 1, labels);
    b.set('resource_synced', 1, labels);
    a.set('resource_synced', 0, labels);
    a.set('watch_last_contact_timestamp_seconds', 30, labels);
    b.set('watch_last_contact_timestamp_seconds', 20, labels);
    b.set('watch_last_contact_timestamp_seconds', 40, labels);
    expect(said.map((one) => Number(one.split(' ').at(-1)))).to.deep.equal([0, 1, 0, 0, 20, 30]);
  });

  it('lets counters add up', () => {
    const [a, b] = [part(), part()];
    a.count('watch_events_total', labels, 2);
    b.count('watch_events_total', labels);
    expect(said).to.deep.equal(['watch_events_total taskruns +2', 'watch_events_total taskruns +1']);
  });
});
