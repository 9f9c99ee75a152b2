import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ReplayOptions } from '../../../config/process/replay-options.ts';
import { deadLetterLine } from '../../../lib/outbox/dead-letter.ts';
import { replayLetters } from '../../../streams/wiring/replay.ts';
import { outgoing } from '../../support/outgoing.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { acknowledge, answering, type Sink, startSink } from '../../support/sink.ts';
import { startTlsSink } from '../../support/tls-sink.ts';

const line = (
  source: string,
  sequence: string,
  bytes = '{"taskRun":{"metadata":{"uid":"u","resourceVersion":"1"}}}',
) => {
  const event = {
    ...outgoing({ source, id: `${source}-${sequence}` }),
    sequence,
    body: new TextEncoder().encode(bytes),
  };
  return `${deadLetterLine(event, 'gave-up', 0)}\n`;
};

const noFiles = {
  sinkAuthorizationFile: undefined,
  sinkCaFile: undefined,
  sinkClientCertFile: undefined,
  sinkClientKeyFile: undefined,
};

describe('replayLetters', () => {
  let dir: string;
  let sink: Sink;
  let printed: string[];
  let complaints: string[];

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'data-dir-'));
    sink = await startSink();
    printed = [];
    complaints = [];
    writeFileSync(join(dir, 'dead-letters.jsonl'), line('a', '2') + line('b', '1') + line('a', '1'));
  });
  afterEach(async () => {
    await sink.close();
    rmSync(dir, { recursive: true });
  });

  const replay = (more: Partial<ReplayOptions> = {}) => {
    const none = { sinceMs: undefined, untilMs: undefined, type: undefined, namespace: undefined };
    const options = {
      ...none,
      sinkTimeoutMs: 30_000,
      ...noFiles,
      dataDir: dir,
      to: sink.url,
      dryRun: false,
      remove: false,
      ...more,
    };
    const print = (text: string) => void printed.push(text);
    return replayLetters(options, { print, complain: (text) => void complaints.push(text) });
  };
  const letters = () => readFileSync(join(dir, 'dead-letters.jsonl'), 'utf8').trim().split('\n');
  const idsOf = (subject: string) =>
    sink.received.filter(({ headers }) => headers['ce-subject'] === subject).map(({ headers }) => headers['ce-id']);

  it('posts each letter under its id, in order within a run, and leaves the file as it is', async () => {
    const before = letters();
    expect(await replay()).to.equal(0);
    expect(idsOf('a')).to.deep.equal(['a-1', 'a-2']);
    expect(idsOf('b')).to.deep.equal(['b-1']);
    expect(printed.at(-1)).to.equal('3 of 3 taken');
    expect(printed).to.include('1970-01-01T00:00:00.000Z dev.svc.event.taskrun.running.v1 ci/a a-1: taken');
    expect(letters()).to.deep.equal(before);
    expect(sink.received[0]?.body).to.deep.equal({ taskRun: { metadata: { uid: 'u', resourceVersion: '1' } } });
  });

  it('posts nothing in a dry run', async () => {
    expect(await replay({ dryRun: true, type: '*', sinceMs: 0 })).to.equal(0);
    expect(sink.received).to.deep.equal([]);
    expect(printed.at(-1)).to.equal('3 of 3 dead letters would be sent');
  });

  it('holds back what follows a letter that was not taken, and removes only what was', async () => {
    sink.answer = (request, response) =>
      request.headers['ce-id'] === 'a-1' ? answering(500)(request, response) : acknowledge(request, response);
    expect(await replay({ remove: true })).to.equal(1);
    expect(idsOf('a')).to.deep.equal(['a-1']);
    expect(printed.join('\n')).to.match(/a-1: not taken, answered 500[\s\S]*a-2: not sent, an earlier event/);
    expect(printed.at(-1)).to.equal('1 of 3 taken, and removed from the dead letters');
    expect(letters().map((one) => JSON.parse(one).id)).to.deep.equal(['a-2', 'a-1']);
  });

  it('leaves no file when all are taken, and is content with none', async () => {
    expect(await replay({ remove: true })).to.equal(0);
    expect(readdirSync(dir)).to.deep.equal([]);
    expect(await replay()).to.equal(0);
    expect(printed.at(-1)).to.equal('0 of 0 taken');
  });

  it('reads what an interrupted removal left, and each id once', async () => {
    writeFileSync(join(dir, 'dead-letters.7-1.jsonl'), line('c', '1') + line('b', '1'));
    expect(await replay({ remove: true })).to.equal(0);
    expect(sink.received.length).to.equal(4);
    expect(readdirSync(dir)).to.deep.equal([]);
  });

  it('says how many lines cannot be read, keeps them, and is not content', async () => {
    appendFileSync(join(dir, 'dead-letters.jsonl'), '{"half');
    expect(await replay({ remove: true })).to.equal(1);
    expect(complaints).to.deep.equal(['1 lines are no dead letters and stay as they are']);
    expect(letters()).to.deep.equal(['{"half']);
    expect(await replay({ dryRun: true })).to.equal(1);
  });

  it('says when there is no such data dir', async () => {
    expect(await replay({ dataDir: join(dir, 'none') })).to.equal(2);
    expect(complaints[0]).to.match(/none: expected a data dir, got: ENOENT/);
  });

  it('reaches the sink as the controller does: with its authorities, certificate and credentials', async () => {
    const [server, client] = [selfSigned('sink.test'), selfSigned('controller')];
    const asking = { requestCert: true, rejectUnauthorized: true, ca: [client.cert] };
    const secure = await startTlsSink({ ...server, ...asking });
    const file = (name: string, text: string) => {
      writeFileSync(join(dir, name), text);
      return join(dir, name);
    };
    const to = `https://127.0.0.1:${secure.port}/`;
    expect(await replay({ to })).to.equal(1);
    const sinkFiles = {
      sinkAuthorizationFile: file('authorization', 'Bearer one'),
      sinkCaFile: file('ca.crt', server.cert),
      sinkClientCertFile: file('tls.crt', client.cert),
      sinkClientKeyFile: file('tls.key', client.key),
    };
    expect(await replay({ to, ...sinkFiles })).to.equal(0);
    await secure.close();
    expect(secure.seen.map((one) => [one.authorization, one.client])).to.deep.equal(
      Array(3).fill(['Bearer one', 'controller']),
    );
  });

  it('says which file for the sink is no good, and sends nothing', async () => {
    expect(await replay({ sinkCaFile: join(dir, 'none') })).to.equal(2);
    expect(complaints[0]).to.match(/^--sink-ca-file: /);
    expect(sink.received).to.deep.equal([]);
  });
});
