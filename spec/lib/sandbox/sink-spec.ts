import { expect } from 'chai';
import { formatEventLine } from '../../../lib/sandbox/format-event-line.ts';
import { type ReceivedEvent, type Sink, startSink } from '../../../lib/sandbox/sink.ts';

const headers = {
  'ce-id': '3f2a9c1e-0000-5000-8000-000000000000',
  'ce-type': 'dev.svc.event.taskrun.failed.v1',
  'ce-source': '/apis/svc.dev/v1/namespaces/default/taskruns/build-1',
  'ce-time': '2026-01-02T03:04:05.678Z',
};
const body = { taskRun: { status: { conditions: [{ type: 'Ready' }, { type: 'Succeeded', reason: 'Failed' }] } } };

describe('startSink', () => {
  let sink: Sink;
  let events: ReceivedEvent[];

  beforeEach(async () => {
    events = [];
    sink = await startSink({ onEvent: (event) => events.push(event) });
  });
  afterEach(() => sink.close());

  it('hands over what is posted and answers 204', async () => {
    const answer = await fetch(sink.url, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status).to.equal(204);
    expect(events).to.have.length(1);
    expect(events[0]?.headers).to.include(headers);
    expect(events[0]?.body).to.deep.equal(body);
  });

  it('takes any path', async () => {
    const answer = await fetch(`${sink.url}any/path?x=1`, { method: 'POST', headers, body: '{}' });
    expect([answer.status, events.length]).to.deep.equal([204, 1]);
  });

  it('hands over an event without a readable body', async () => {
    await fetch(sink.url, { method: 'POST', headers, body: 'not JSON' });
    expect(events.map((event) => event.body)).to.deep.equal([undefined]);
  });

  it('takes nothing but posts', async () => {
    const answer = await fetch(sink.url);
    expect([answer.status, events.length]).to.deep.equal([405, 0]);
  });

  it('takes no body that is too long', async () => {
    const answer = await fetch(sink.url, { method: 'POST', body: 'x'.repeat(4 * 1024 * 1024 + 1) });
    expect([answer.status, events.length]).to.deep.equal([413, 0]);
  });
});

describe('formatEventLine', () => {
  const line =
    '03:04:05.678 dev.svc.event.taskrun.failed.v1 /apis/svc.dev/v1/namespaces/default/taskruns/build-1 Failed 3f2a9c1e';
  const cases = [
    { why: 'an event', event: { headers, body }, want: line },
    {
      why: 'an event without a condition',
      event: { headers, body: { taskRun: {} } },
      want: line.replace('Failed', '-'),
    },
    { why: 'nothing known', event: { headers: {}, body: undefined }, want: '- - - - -' },
    {
      why: 'a reason that would steer the terminal',
      event: { headers, body: { taskRun: { status: { conditions: [{ type: 'Succeeded', reason: '\u001b[2J' }] } } } },
      want: line.replace('Failed', '?[2J'),
    },
  ];
  for (const { why, event, want } of cases) {
    it(`puts ${why} on one line`, () => {
      expect(formatEventLine(event)).to.equal(want);
    });
  }
});
