import { expect } from 'chai';
import { uuid5 } from '../../../lib/io/uuid5.ts';

describe('uuid5', () => {
  it('gives the same UUID in every release: receivers drop what they know by it', () => {
    expect(uuid5('["u1","dev.svc.event.taskrun.started.v1"]')).to.equal('ed2d47e5-6b19-5b54-bef9-3eee7a4124ae');
  });

  it('is a UUID of version 5', () => {
    expect(uuid5('')).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
