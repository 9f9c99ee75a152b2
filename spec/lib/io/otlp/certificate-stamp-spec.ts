import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { certificateStamp } from '../../../../lib/io/otlp/certificate-stamp.ts';

describe('certificateStamp', () => {
  const dir = mkdtempSync(join(tmpdir(), 'certificate-stamp-'));
  const file = (name: string) => join(dir, name);
  after(() => rmSync(dir, { recursive: true }));

  const secure = { protocol: 'grpc', endpoint: 'https://collector:4317', bareEndpoint: 'plaintext' } as const;
  const variable = 'OTEL_EXPORTER_OTLP_CERTIFICATE';

  it('changes when a file appears, when it is written again and when it is gone', () => {
    const env = { [variable]: file('ca.pem') };
    const seen = [certificateStamp('metrics', { ...secure, env })];
    for (const text of ['one', 'another']) {
      writeFileSync(file('ca.pem'), text);
      seen.push(certificateStamp('metrics', { ...secure, env }));
    }
    rmSync(file('ca.pem'));
    seen.push(certificateStamp('metrics', { ...secure, env }));
    expect(new Set(seen).size).to.equal(3);
    expect(seen.at(-1)).to.equal(seen[0]).and.equal('ENOENT');
  });

  const files: readonly { readonly env: Readonly<Record<string, string>>; readonly want: string }[] = [
    {
      env: { OTEL_EXPORTER_OTLP_CLIENT_KEY: '/a', OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: '/b' },
      want: 'ENOENT ENOENT',
    },
    { env: { OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE: '/a', [variable]: tmpdir() }, want: 'ENOENT' },
  ];
  for (const { env, want } of files) {
    it(`looks at what ${Object.keys(env).join(' and ')} say, the signal's own first`, () => {
      expect(certificateStamp('metrics', { ...secure, env })).to.equal(want);
    });
  }

  const none: readonly { readonly name: string; readonly given: Partial<Parameters<typeof certificateStamp>[1]> }[] = [
    { name: 'metrics are scraped', given: { protocol: 'prometheus' } },
    { name: 'spans are printed', given: { protocol: 'stdout' } },
    { name: 'the endpoint is plaintext', given: { endpoint: 'http://collector:4317' } },
    { name: 'a bare endpoint means plaintext', given: { endpoint: 'collector:4317' } },
    { name: 'there is no endpoint', given: { endpoint: undefined } },
    { name: 'no variable names a file', given: { env: {} } },
  ];
  for (const { name, given } of none) {
    it(`is undefined where ${name}`, () => {
      expect(certificateStamp('metrics', { ...secure, env: { [variable]: '/a' }, ...given })).to.equal(undefined);
    });
  }

  it('is there for a bare endpoint that means TLS', () => {
    const given = { ...secure, endpoint: 'collector:4317', bareEndpoint: 'tls', env: { [variable]: '/a' } } as const;
    expect(certificateStamp('traces', given)).to.equal('ENOENT');
  });
});
