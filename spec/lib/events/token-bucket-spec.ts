import { expect } from 'chai';
import { tokenBuckets } from '../../../lib/events/token-bucket.ts';

const plenty = { burst: 1000, perSecond: 0 };

describe('tokenBuckets', () => {
  it('passes a burst for each key, then as fast as room comes back', () => {
    const buckets = tokenBuckets({ perKey: { burst: 2, perSecond: 0.5 }, overall: plenty });
    const passes = [0, 0, 0, 1999, 2000, 2001, 60_000, 60_000, 60_000].map((ms) => buckets.take('a', ms));
    expect(passes).to.deep.equal([true, true, false, false, true, false, true, true, false]);
    expect(buckets.take('b', 60_000)).to.equal(true);
  });

  it('passes no more overall than all keys may have together', () => {
    const buckets = tokenBuckets({ perKey: plenty, overall: { burst: 2, perSecond: 1 } });
    const passes = ['a', 'b', 'c'].map((key) => buckets.take(key, 0));
    expect(passes).to.deep.equal([true, true, false]);
    expect(buckets.take('c', 1000)).to.equal(true);
  });

  it('takes nothing of the whole for a key that has used up its own', () => {
    const buckets = tokenBuckets({ perKey: { burst: 1, perSecond: 0 }, overall: { burst: 2, perSecond: 0 } });
    expect(['a', 'a', 'a', 'b'].map((key) => buckets.take(key, 0))).to.deep.equal([true, false, false, true]);
  });

  it('forgets the key used longest ago when it remembers too many', () => {
    const buckets = tokenBuckets({ perKey: { burst: 1, perSecond: 0 }, overall: plenty, maxKeys: 2 });
    for (const key of ['a', 'b', 'a', 'c']) buckets.take(key, 0);
    expect(buckets.size).to.equal(2);
    expect([buckets.take('a', 0), buckets.take('b', 0)]).to.deep.equal([false, true]);
  });

  it('forgets a key that is gone', () => {
    const buckets = tokenBuckets();
    buckets.take('a', 0);
    buckets.forget('a');
    expect(buckets.size).to.equal(0);
  });

  it('is not moved by a clock that goes back', () => {
    const buckets = tokenBuckets({ perKey: { burst: 1, perSecond: 1 }, overall: plenty });
    expect([5000, 1000, 5500].map((ms) => buckets.take('a', ms))).to.deep.equal([true, false, false]);
  });

  it('lets 25 Events of one run pass by default', () => {
    const buckets = tokenBuckets();
    const passed = Array.from({ length: 40 }, () => buckets.take('a', 0)).filter(Boolean);
    expect(passed.length).to.equal(25);
  });
});
