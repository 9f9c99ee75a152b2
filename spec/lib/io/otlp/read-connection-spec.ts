import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConnection } from '../../../../lib/io/otlp/read-connection.ts';
import { resourceAttributes } from '../../../../lib/io/otlp/resource-attributes.ts';
import type { ExportResult, OtlpTarget } from '../../../../lib/io/otlp/target.ts';
import { createTracesExporter } from '../../../../lib/io/otlp/traces-exporter.ts';
import { startGrpcReceiver, startHttpReceiver } from '../../../support/otlp-receiver.ts';
import { selfSigned } from '../../../support/self-signed.ts';
import { span } from '../../../support/spans.ts';

const target: OtlpTarget = { protocol: 'grpc', endpoint: 'collector:4317', bareEndpoint: 'plaintext', env: {} };

describe('readConnection', () => {
  let folder: string;
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'otlp-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const endpoints: readonly { given: Partial<OtlpTarget>; url: string; tls: boolean }[] = [
    { given: {}, url: 'http://collector:4317', tls: false },
    { given: { bareEndpoint: 'tls' }, url: 'https://collector:4317', tls: true },
    { given: { endpoint: 'https://collector:4317' }, url: 'https://collector:4317', tls: true },
    { given: { endpoint: 'http://collector:4317', bareEndpoint: 'tls' }, url: 'http://collector:4317', tls: false },
    { given: { protocol: 'http/protobuf', endpoint: '[::1]:4318' }, url: 'http://[::1]:4318/v1/traces', tls: false },
  ];
  for (const { given, url, tls } of endpoints) {
    it(`goes to ${url} for ${JSON.stringify(given)}`, () => {
      expect(readConnection('traces', { ...target, ...given })).to.deep.include({ url, tls });
    });
  }

  const impossible: readonly { title: string; given: Partial<OtlpTarget>; want: RegExp }[] = [
    { title: 'no endpoint', given: { endpoint: undefined }, want: /^tracing-endpoint: .* is grpc, got nothing$/ },
    { title: 'no port', given: { endpoint: 'collector' }, want: /^tracing-endpoint: .*, got "collector"$/ },
    { title: 'an impossible port', given: { endpoint: 'collector:70000' }, want: /got "collector:70000"$/ },
    { title: 'a path', given: { endpoint: 'https://collector:1/x' }, want: /got "https:\/\/collector:1\/x"$/ },
    {
      title: 'a password',
      given: { endpoint: 'https://me:secret@collector:1' },
      want: /^[^@]*got one with a user in it$/,
    },
    {
      title: 'a header that is no pair',
      given: { env: { OTEL_EXPORTER_OTLP_HEADERS: 'a=b,secret' } },
      want: /^OTEL_EXPORTER_OTLP_HEADERS: pair 2: expected name=value [^s]*, percent-encoded, got something else$/,
    },
    {
      title: 'a header that is badly encoded',
      given: { env: { OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'a=%zz' } },
      want: /^OTEL_EXPORTER_OTLP_TRACES_HEADERS: pair 1: expected/,
    },
    {
      title: 'another compression',
      given: { env: { OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' } },
      want: /^OTEL_EXPORTER_OTLP_COMPRESSION: expected gzip \| none, got "zstd"$/,
    },
    {
      title: 'a certificate file that is not there',
      given: { bareEndpoint: 'tls', env: { OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem' } },
      want: /^OTEL_EXPORTER_OTLP_CERTIFICATE: expected a file in PEM at \/nowhere\/ca.pem, got none \(ENOENT\)$/,
    },
  ];
  for (const { title, given, want } of impossible) {
    it(`refuses ${title}`, () => {
      expect(() => readConnection('traces', { ...target, ...given })).to.throw(want);
    });
  }

  it('refuses files that are no PEM, half a pair, and a key of another certificate', () => {
    const [one, other] = [selfSigned('localhost'), selfSigned('localhost')];
    const files = {
      ca: file('ca.pem', one.cert),
      text: file('text', 'hello'),
      torn: file('torn.pem', '-----BEGIN CERTIFICATE-----\nhello\n-----END CERTIFICATE-----\n'),
      cert: file('cert.pem', one.cert),
      key: file('key.pem', other.key),
    };
    const reading = (env: Readonly<Record<string, string>>) => () =>
      readConnection('traces', { ...target, bareEndpoint: 'tls', env });
    expect(reading({ OTEL_EXPORTER_OTLP_CERTIFICATE: files.text })).to.throw(/in PEM at .*, got something else$/);
    expect(reading({ OTEL_EXPORTER_OTLP_CERTIFICATE: files.torn })).to.throw(
      /certificates in PEM, got something else$/,
    );
    expect(reading({ OTEL_EXPORTER_OTLP_CLIENT_KEY: files.key })).to.throw(/expected both or neither, got one$/);
    const pair = { OTEL_EXPORTER_OTLP_CLIENT_KEY: files.key, OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: files.cert };
    expect(reading(pair)).to.throw(/expected the key of the client certificate, got another or none$/);
    expect(reading({ OTEL_EXPORTER_OTLP_CERTIFICATE: files.ca })).not.to.throw();
  });

  for (const { protocol, start } of [
    { protocol: 'grpc', start: startGrpcReceiver },
    { protocol: 'http/protobuf', start: startHttpReceiver },
  ] as const) {
    it(`speaks TLS over ${protocol} with the authority and the client certificate it is given, and not without`, async () => {
      const [server, client] = [selfSigned('localhost'), selfSigned('client')];
      const receiver = await start({ tls: { ...server, ca: client.cert } });
      const results: ExportResult[] = [];
      const env = {
        OTEL_EXPORTER_OTLP_CERTIFICATE: file('server.pem', server.cert),
        OTEL_EXPORTER_OTLP_CLIENT_KEY: file('client-key.pem', client.key),
        OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: file('client.pem', client.cert),
      };
      const push = async (given: OtlpTarget['env']) => {
        const exporter = createTracesExporter({
          ...{ protocol, endpoint: `https://localhost:${receiver.port}`, bareEndpoint: 'plaintext', env: given },
          resource: resourceAttributes({ component: 'controller', version: '1', instanceId: 'one' }),
          scope: { name: 'controller', version: '1' },
          onExport: (result) => results.push(result),
          onDropped: () => {},
          write: () => {},
          timeoutMs: 300,
        });
        exporter.send([span()]);
        await exporter.shutdown();
      };
      await push(env);
      await push({});
      await receiver.close();
      expect(results[0]).to.deep.equal({ ok: true, items: 1 });
      expect(results[1]).to.deep.include({ ok: false, retryable: true });
      expect(receiver.received).to.have.length(1);
    });
  }
});
