import { expect } from 'chai';
import { CloudEvent, HTTP } from 'cloudevents';
import fc from 'fast-check';
import { encodeHeader } from '../../../../lib/io/sink/encode-header.ts';
import { eventHeaders } from '../../../../lib/io/sink/event-headers.ts';
import { outgoing } from '../../../support/outgoing.ts';

const some = fc.string({ minLength: 1, unit: 'binary' });

describe('eventHeaders', () => {
  it('writes what the package would write of the same event, whatever its names hold', () => {
    const events = fc.record({
      id: fc.uuid(),
      subject: some,
      source: some.map((name) => `/apis/svc.dev/v1/namespaces/ci/taskruns/${name}`),
      timeMs: fc.integer({ min: 0, max: 4_000_000_000_000 }),
      synthesized: fc.boolean(),
      traceparent: fc.constantFrom(undefined, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
    });
    fc.assert(
      fc.property(events, (given) => {
        const event = { ...outgoing(), ...given };
        const { id, type, timeMs, sequence, synthesized, traceparent } = event;
        const whole = new CloudEvent({
          id,
          type,
          sequence,
          source: encodeHeader(event.source),
          subject: encodeHeader(event.subject),
          time: new Date(timeMs).toISOString(),
          datacontenttype: 'application/json',
          ...(synthesized ? { synthesized } : {}),
          ...(traceparent === undefined ? {} : { traceparent }),
        });
        const written = Object.entries(HTTP.binary(whole).headers).map(([name, value]) => [name, String(value)]);
        expect(eventHeaders(event)).to.deep.equal(Object.fromEntries(written));
      }),
    );
  });
});
