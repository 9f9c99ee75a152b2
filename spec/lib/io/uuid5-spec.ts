import { expect } from 'chai';
import fc from 'fast-check';
import { v5 } from 'uuid';
import { uuid5 } from '../../../lib/io/uuid5.ts';

describe('uuid5', () => {
  it('gives the same UUID in every release: receivers drop what they know by it', () => {
    expect(uuid5('["u1","dev.svc.event.taskrun.started.v1"]')).to.equal('ed2d47e5-6b19-5b54-bef9-3eee7a4124ae');
  });

  it('is what the package of that name makes, of any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000, size: 'max' }), (name) => {
        expect(uuid5(name)).to.equal(v5(name, 'f2a1d9a4-6c0e-5d3b-9f1e-5b7c3e8a4d26'));
      }),
    );
  });

  it('is a UUID of version 5', () => {
    expect(uuid5('')).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
