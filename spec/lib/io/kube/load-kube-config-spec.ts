import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { createKubeApi } from '../../../../lib/io/kube/kube-api.ts';
import type { KubeConnection } from '../../../../lib/io/kube/kube-connection.ts';
import { loadKubeConfig } from '../../../../lib/io/kube/load-kube-config.ts';
import { leaseType } from '../../../../lib/kube/api.ts';
import { noMeasure } from '../../../../lib/metrics/own.ts';
import { type KubeServer, serveKube } from '../../../support/kube-server.ts';
import { type KeyAndCert, selfSigned } from '../../../support/self-signed.ts';

const config = (user: object = {}, cluster: object = {}, context: object = {}) => ({
  'current-context': 'c',
  contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', namespace: 'ours', ...context } }],
  clusters: [{ name: 'k', cluster: { server: 'http://127.0.0.1:1/base/', ...cluster } }],
  users: [{ name: 'u', user }],
});

const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('expected a rejection'),
    (error: Error) => error.message,
  );

describe('loadKubeConfig', () => {
  let directory: string;
  let nowMs: number;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
    nowMs = 0;
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  const file = (name: string, content: string | object, mode = 0o600) => {
    const path = join(directory, name);
    writeFileSync(path, typeof content === 'string' ? content : stringify(content), { mode });
    return path;
  };
  const now = () => nowMs;
  const load = (content: string | object) => loadKubeConfig({ file: file('config', content), env: {}, now });

  describe('sources', () => {
    it('reads where the server is, and the namespace of the context', async () => {
      const { serverUrl, namespace, authorization, tls } = await load(config());
      expect({ serverUrl, namespace }).to.deep.equal({ serverUrl: 'http://127.0.0.1:1/base', namespace: 'ours' });
      expect(await authorization()).to.deep.equal({});
      expect(await tls()).to.deep.equal({ rejectUnauthorized: false });
    });

    it('takes the service account of a pod before KUBECONFIG', async () => {
      file('ca.crt', 'CA');
      file('token', 'secret\n');
      file('namespace', 'pods\n');
      const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443', KUBECONFIG: '/none' };
      const connection = await loadKubeConfig({ env, serviceAccountDir: directory });
      expect(connection.serverUrl).to.equal('https://[fd00::1]:443');
      expect(connection.namespace).to.equal('pods');
      expect(await connection.authorization()).to.deep.equal({ Authorization: 'Bearer secret' });
      expect(String((await connection.tls()).ca)).to.equal('CA');
    });

    it('needs no namespace beside a service account, but its token', async () => {
      file('ca.crt', 'CA');
      const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
      const without = loadKubeConfig({ env, serviceAccountDir: directory });
      expect(await messageOf(without)).to.equal(
        `service account: token: expected a readable file at ${join(directory, 'token')}, got ENOENT`,
      );
      file('token', 'secret');
      expect((await loadKubeConfig({ env, serviceAccountDir: directory })).namespace).to.equal(undefined);
    });

    it('merges the files of KUBECONFIG, the first of two entries counting', async () => {
      const { contexts, clusters, ...rest } = config({ token: 'first' });
      const first = file('a', { ...rest, clusters: [] });
      const second = file('b', { ...config({ token: 'second' }), 'current-context': 'other', contexts, clusters });
      const connection = await loadKubeConfig({ env: { KUBECONFIG: `${first}::${second}` }, now });
      expect(await connection.authorization()).to.deep.equal({ Authorization: 'Bearer first' });
      expect(connection.serverUrl).to.equal('http://127.0.0.1:1/base');
    });

    it('says what it looked for when there is none', async () => {
      expect(await messageOf(loadKubeConfig({ env: {} }))).to.equal(
        'no API server: expected --kubeconfig, a pod of a cluster, or KUBECONFIG, got none of them',
      );
    });
  });

  describe('a broken file', () => {
    const secret = 'users: [{name: u, user: {token: s3cret';
    const rows = [
      { title: 'is no YAML', content: secret, want: 'expected YAML of kind Config, got something else' },
      { title: 'is empty', content: '', want: 'expected YAML of kind Config, got something else' },
      {
        title: 'lacks a server',
        content: { ...config(), clusters: [{ name: 'k', cluster: {} }] },
        want: 'expected YAML of kind Config, got one where clusters[0].cluster.server is missing',
      },
      { title: 'has no current context', content: { clusters: [] }, want: 'expected a current-context, got none' },
      {
        title: 'names a context that is not there',
        content: { ...config(), 'current-context': 'd' },
        want: 'current-context: expected c, got "d"',
      },
      {
        title: 'names a cluster that is not there',
        content: { ...config(), clusters: [] },
        want: 'cluster of context "c": expected one that is defined, got "k"',
      },
      {
        title: 'names a user that is not there',
        content: config({}, {}, { user: 'v' }),
        want: 'user of context "c": expected u, got "v"',
      },
      {
        title: 'asks for a proxy',
        content: config({}, { 'proxy-url': 'http://p' }),
        want: 'proxy-url is not supported, got one of context "c"',
      },
      {
        title: 'names a server that is no URL',
        content: config({}, { server: 'nowhere:1' }),
        want: 'server of context "c": expected an http or https URL, got "nowhere:1"',
      },
    ];
    for (const { title, content, want } of rows) {
      it(`that ${title} is said in one sentence`, async () => {
        expect(await messageOf(load(content))).to.equal(`kubeconfig ${join(directory, 'config')}: ${want}`);
      });
    }

    it('that is missing is said in one sentence', async () => {
      const path = join(directory, 'none');
      expect(await messageOf(loadKubeConfig({ file: path, env: {} }))).to.equal(
        `kubeconfig ${path}: expected a readable file at ${path}, got ENOENT`,
      );
    });

    it('that names a missing certificate is said with its path, relative to the file', async () => {
      expect(await messageOf(load(config({}, { 'certificate-authority': 'ca.pem' })))).to.equal(
        `cluster "k": CA: expected a readable file at ${join(directory, 'ca.pem')}, got ENOENT`,
      );
    });
  });

  describe('credentials', () => {
    const authorizationOf = async (user: object) => (await load(config(user))).authorization();

    it('are a token, a name and password, or nothing', async () => {
      expect(await authorizationOf({ token: 't' })).to.deep.equal({ Authorization: 'Bearer t' });
      expect(await authorizationOf({ username: 'n', password: 'p' })).to.deep.equal({ Authorization: 'Basic bjpw' });
      expect(await authorizationOf({ as: 'other' })).to.deep.equal({ 'Impersonate-User': 'other' });
    });

    it('may be missing altogether, beside a CA that counts all the same', async () => {
      file('ca.pem', 'CA');
      const connection = await load(config({}, { 'certificate-authority': 'ca.pem' }, { user: undefined }));
      expect(await connection.authorization()).to.deep.equal({});
      expect(String((await connection.tls()).ca)).to.equal('CA');
    });

    it('from a token file are read again after a minute, or when they were refused', async () => {
      file('token', 'one\n');
      const connection = await load(config({ tokenFile: 'token' }));
      const tokens = [await connection.authorization()];
      file('token', 'two\n');
      nowMs = 59_999;
      tokens.push(await connection.authorization());
      nowMs = 60_000;
      tokens.push(await connection.authorization());
      file('token', 'three\n');
      connection.refresh();
      tokens.push(await connection.authorization());
      expect(tokens.map(({ Authorization }) => Authorization)).to.deep.equal(
        ['one', 'one', 'two', 'three'].map((t) => `Bearer ${t}`),
      );
    });

    it('from a token file that has gone are one sentence, until it is back', async () => {
      const path = file('token', 'one');
      const connection = await load(config({ tokenFile: path }));
      rmSync(path);
      expect(await messageOf(connection.authorization())).to.equal(
        'no credentials for the API server: a file cannot be read or a provider failed (ENOENT)',
      );
      file('token', 'two');
      expect(await connection.authorization()).to.deep.equal({ Authorization: 'Bearer two' });
    });

    describe('from a plugin', () => {
      /** A plugin that counts how often it ran, in a file beside it. */
      function plugin(status: string): { command: string; runs: () => string } {
        mkdirSync(join(directory, 'bin'));
        const script = `#!/bin/sh
echo "$KUBERNETES_EXEC_INFO $EXTRA" >> "${join(directory, 'runs')}"
echo '${status}'
`;
        chmodSync(file('bin/plugin', script), 0o700);
        return { command: 'bin/plugin', runs: () => readFileSync(join(directory, 'runs'), 'utf8') };
      }
      const exec = (command: string) => ({
        exec: { apiVersion: 'client.authentication.k8s.io/v1', command, env: [{ name: 'EXTRA', value: 'e' }] },
      });

      it('are kept until they expire or were refused', async () => {
        const { command, runs } = plugin('{"status":{"token":"t","expirationTimestamp":"2999-01-01T00:00:00Z"}}');
        const connection = await load(config(exec(command)));
        const both = [connection.authorization(), connection.authorization()];
        expect(await Promise.all(both)).to.deep.equal(Array(2).fill({ Authorization: 'Bearer t' }));
        nowMs = 10_000;
        await connection.authorization();
        const once =
          '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}} e\n';
        expect(runs()).to.equal(once);
        connection.refresh();
        await connection.authorization();
        expect(runs()).to.equal(once + once);
      });

      it('are asked for again when they have expired', async () => {
        const { command, runs } = plugin('{"status":{"token":"t","expirationTimestamp":"2001-01-01T00:00:00Z"}}');
        const connection = await load(config(exec(command)));
        await connection.authorization();
        nowMs = 5000;
        await connection.authorization();
        expect(runs().split('\n')).to.have.length(3);
      });

      it('may be a certificate', async () => {
        const { command } = plugin('{"status":{"clientCertificateData":"CERT","clientKeyData":"KEY"}}');
        const { cert, key } = await (await load(config(exec(command)))).tls();
        expect([cert, key]).to.deep.equal(['CERT', 'KEY']);
      });

      it('that prints something else are one sentence without what it printed', async () => {
        const { command } = plugin('s3cret');
        expect(await messageOf((await load(config(exec(command)))).authorization())).to.equal(
          `no credentials for the API server: credential plugin "${join(directory, 'bin/plugin')}": it failed or printed no ExecCredential`,
        );
      });

      it('that is not installed are one sentence', async () => {
        expect(await messageOf((await load(config(exec('no-such-plugin')))).authorization())).to.equal(
          'no credentials for the API server: credential plugin "no-such-plugin": it cannot be started (ENOENT)',
        );
      });
    });
  });

  describe('TLS', () => {
    let identity: KeyAndCert;
    let server: KubeServer;
    let connection: KubeConnection | undefined;
    const inBase64 = (text: string) => Buffer.from(text).toString('base64');

    before(async () => {
      identity = selfSigned('kubernetes.default');
      server = await serveKube({ tls: identity, answer: (_, response) => response.end('{"kind":"Lease"}') });
    });

    after(() => server.close());

    /** What a request over this cluster's connection comes to. */
    async function asked(cluster: object, user: object = {}): Promise<string> {
      connection = await load(config(user, { server: server.url, ...cluster }));
      const api = createKubeApi({ connection, measure: noMeasure, onLatency: () => {}, userAgent: 'spec' });
      try {
        return String((await api.get(leaseType, 'x', 'l')).kind);
      } catch (error) {
        return (error as Error).message;
      } finally {
        await api.close();
      }
    }

    it('trusts the CA that the cluster names, as data or as a file', async () => {
      file('ca.pem', identity.cert);
      expect(await asked({ 'certificate-authority-data': inBase64(identity.cert) })).to.equal('Lease');
      expect(await asked({ 'certificate-authority': 'ca.pem' })).to.equal('Lease');
    });

    it('trusts no other, and says so', async () => {
      expect(await asked({})).to.equal(
        `the API server at ${server.url} gives no answer to get of leases.coordination.k8s.io "l" in namespace "x": ` +
          'TLS: its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)',
      );
    });

    it('reads the CA file anew where the server is not trusted, for the next try', async () => {
      file('ca.pem', selfSigned('kubernetes.default').cert);
      connection = await load(config({}, { server: server.url, 'certificate-authority': 'ca.pem' }));
      const api = createKubeApi({ connection, measure: noMeasure, onLatency: () => {}, userAgent: 'spec' });
      const get = () => api.get(leaseType, 'x', 'l').then(String, (error: Error) => error.message);
      expect(await get()).to.contain('its certificate is not trusted');
      file('ca.pem', identity.cert);
      expect(await get()).to.equal('[object Object]');
      await api.close();
    });

    it('trusts any server where it is told to skip that', async () => {
      expect(await asked({ 'insecure-skip-tls-verify': true })).to.equal('Lease');
    });

    it('expects the name that the cluster gives the server', async () => {
      const ca = { 'certificate-authority-data': inBase64(identity.cert) };
      expect(await asked({ ...ca, 'tls-server-name': 'kubernetes.default' })).to.equal('Lease');
      expect(await asked({ ...ca, 'tls-server-name': 'other' })).to.contain('(ERR_TLS_CERT_ALTNAME_INVALID)');
    });

    it('passes on that credentials cannot be had', async () => {
      expect(await asked({}, { exec: { command: 'no-such-plugin' } })).to.contain('it cannot be started (ENOENT)');
    });
  });
});
