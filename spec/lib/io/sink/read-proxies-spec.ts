import { expect } from 'chai';
import { readProxies } from '../../../../lib/io/sink/read-proxies.ts';

const both = { HTTPS_PROXY: 'http://secure.test:3128', HTTP_PROXY: 'http://plain.test:3128' };

/** The host of the proxy that this environment means for a URL. */
function proxyHost(url: string, env: Readonly<Record<string, string>>): string | undefined {
  return readProxies(env)(new URL(url))?.host;
}

describe('readProxies', () => {
  const choices: readonly { url: string; env: Readonly<Record<string, string>>; want: string | undefined }[] = [
    { url: 'https://sink.test/', env: both, want: 'secure.test:3128' },
    { url: 'http://sink.test/', env: both, want: 'plain.test:3128' },
    { url: 'https://sink.test/', env: { HTTP_PROXY: both.HTTP_PROXY }, want: undefined },
    { url: 'http://sink.test/', env: { HTTPS_PROXY: both.HTTPS_PROXY }, want: undefined },
    { url: 'https://sink.test/', env: { https_proxy: 'http://lower.test:1' }, want: 'lower.test:1' },
    { url: 'https://sink.test/', env: { ...both, https_proxy: 'http://lower.test:1' }, want: 'secure.test:3128' },
    { url: 'https://sink.test/', env: { HTTPS_PROXY: 'bare.test:8080' }, want: 'bare.test:8080' },
    { url: 'https://sink.test/', env: { HTTPS_PROXY: '' }, want: undefined },
    { url: 'https://sink.test/', env: { ALL_PROXY: 'http://all.test' }, want: undefined },
    { url: 'https://localhost/', env: both, want: undefined },
    { url: 'https://127.9.9.9/', env: both, want: undefined },
    { url: 'https://[::1]:8443/', env: both, want: undefined },
  ];
  for (const { url, env, want } of choices) {
    it(`goes to ${url} through ${want ?? 'nobody'} with ${JSON.stringify(env)}`, () => {
      expect(proxyHost(url, env)).to.equal(want);
    });
  }

  const exceptions: readonly { entry: string; covers: readonly string[]; not: readonly string[] }[] = [
    { entry: '*', covers: ['sink.test', '10.0.0.1', '[2001:db8::1]'], not: [] },
    {
      entry: 'sink.test',
      covers: ['sink.test', 'a.sink.test', 'SINK.test', 'sink.test.'],
      not: ['xsink.test', 'test'],
    },
    { entry: '.sink.test', covers: ['a.sink.test', 'b.a.sink.test'], not: ['sink.test'] },
    { entry: '*.sink.test', covers: ['a.sink.test'], not: ['sink.test'] },
    { entry: 'SINK.test.', covers: ['sink.test'], not: ['test'] },
    { entry: 'sink.test:8443', covers: ['sink.test:8443', 'a.sink.test:8443'], not: ['sink.test', 'sink.test:9443'] },
    { entry: 'sink.test:443', covers: ['sink.test', 'sink.test:443'], not: ['sink.test:8443'] },
    { entry: '10.0.0.1', covers: ['10.0.0.1'], not: ['10.0.0.2', '110.0.0.1'] },
    { entry: '10.0.0.1:8443', covers: ['10.0.0.1:8443'], not: ['10.0.0.1'] },
    { entry: '10.96.0.0/12', covers: ['10.96.0.1', '10.111.255.255'], not: ['10.112.0.0', 'sink.test', '[::1:2]'] },
    { entry: '0.0.0.0/0', covers: ['8.8.8.8'], not: ['sink.test'] },
    { entry: '2001:db8::/32', covers: ['[2001:db8::1]'], not: ['[2001:db9::1]', '10.0.0.1'] },
    { entry: '2001:db8::1', covers: ['[2001:db8::1]', '[2001:db8:0::1]:8443'], not: ['[2001:db8::2]'] },
    { entry: '[2001:db8::1]:8443', covers: ['[2001:db8::1]:8443'], not: ['[2001:db8::1]'] },
    { entry: '10.0.0.0/99', covers: [], not: ['10.0.0.0', '10.0.0.1'] },
    { entry: '10.0.0.0/x', covers: [], not: ['10.0.0.0'] },
    { entry: ' a.test ,, sink.test', covers: ['a.test', 'sink.test'], not: ['b.test'] },
  ];
  for (const { entry, covers, not } of exceptions) {
    it(`with NO_PROXY "${entry}" goes directly to ${covers.join(', ') || 'nobody'}`, () => {
      const env = { ...both, NO_PROXY: entry };
      const direct = [...covers, ...not].filter((host) => proxyHost(`https://${host}/`, env) === undefined);
      expect(direct).to.deep.equal(covers);
    });
  }

  for (const wrong of ['socks5://secret@x', 'http://', 'http://secret:a%@x.test', 'x y']) {
    it(`says without its value that HTTPS_PROXY is no proxy: ${wrong}`, () => {
      expect(() => readProxies({ HTTPS_PROXY: wrong })).to.throw(
        /^HTTPS_PROXY: expected http:\/\/host:port or https:\/\/host:port, got something else$/,
      );
    });
  }
});
