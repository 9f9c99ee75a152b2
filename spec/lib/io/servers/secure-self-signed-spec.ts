import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { checkPair } from '../../../../lib/io/check-pem.ts';
import { selfSignedCertificate } from '../../../../lib/io/servers/secure-self-signed.ts';

const flags = { cert: 'cert', key: 'key' };
const fromMs = Date.UTC(2026, 2, 1, 10, 20, 30);
const untilMs = Date.UTC(2027, 2, 1);

describe('selfSignedCertificate', () => {
  it('speaks for its names and for loopback, as a server, signed by its own key', () => {
    const { cert } = selfSignedCertificate({ names: ['pod-1', 'localhost'], fromMs, untilMs });
    const parsed = new X509Certificate(cert);
    expect(parsed.verify(parsed.publicKey)).to.equal(true);
    expect(parsed.subject).to.equal('CN=pod-1');
    expect(parsed.issuer).to.equal('CN=pod-1');
    expect(parsed.subjectAltName).to.equal(
      'DNS:pod-1, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
    expect(parsed.keyUsage).to.deep.equal(['1.3.6.1.5.5.7.3.1']);
    expect(parsed.checkHost('localhost')).to.equal('localhost');
    expect(parsed.checkHost('elsewhere')).to.equal(undefined);
    expect([parsed.validFrom, parsed.validTo]).to.deep.equal(['Mar  1 10:20:30 2026 GMT', 'Mar  1 00:00:00 2027 GMT']);
    expect(parsed.ca).to.equal(false);
  });

  it('comes with the key that it is of', () => {
    const [one, two] = [0, 1].map(() => selfSignedCertificate({ names: ['x'], fromMs, untilMs }));
    if (one === undefined || two === undefined) throw new Error('expected two');
    expect(() => checkPair(flags, one)).to.not.throw();
    expect(() => checkPair(flags, { cert: one.cert, key: two.key })).to.throw(/^key: expected the key/);
  });

  it('has another positive serial number each time', () => {
    const numbers = Array.from({ length: 20 }, () => {
      const { cert } = selfSignedCertificate({ names: ['x'], fromMs, untilMs });
      return new X509Certificate(cert).serialNumber;
    });
    expect(new Set(numbers).size).to.equal(20);
    expect(numbers.filter((number) => !/^[4-7][0-9A-F]{31}$/.test(number))).to.deep.equal([]);
  });

  it('writes years from 2050 on, and names so long that lengths take more bytes', () => {
    const names = Array.from({ length: 30 }, (_, n) => `name-${n}.${'x'.repeat(40)}.test`) as [string, ...string[]];
    const { cert } = selfSignedCertificate({ names, fromMs, untilMs: Date.UTC(2051, 0, 2) });
    const parsed = new X509Certificate(cert);
    expect(parsed.validTo).to.equal('Jan  2 00:00:00 2051 GMT');
    expect(names.filter((name) => parsed.checkHost(name) === undefined)).to.deep.equal([]);
  });

  it('cuts a common name to what one may have, and keeps the whole name', () => {
    const name = `${'x'.repeat(60)}.${'y'.repeat(60)}.test`;
    const parsed = new X509Certificate(selfSignedCertificate({ names: [name], fromMs, untilMs }).cert);
    expect(parsed.subject).to.equal(`CN=${name.slice(0, 64)}`);
    expect(parsed.checkHost(name)).to.equal(name);
  });
});
