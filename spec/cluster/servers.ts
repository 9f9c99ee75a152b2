import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseOf } from '../../scripts/cluster/kubernetes.ts';
import { binaryOf } from '../../scripts/cluster/tools.ts';
import type { DaemonOptions } from './daemon.ts';

/** Everything the two servers are started with: ports, files and the administrator's token. */
export interface Layout {
  readonly dir: string;
  readonly etcdUrl: string;
  readonly peerUrl: string;
  readonly apiPort: number;
  readonly url: string;
  /** The API server signs its own certificate at its first start and puts the chain here. */
  readonly caFile: string;
  readonly tokenFile: string;
  readonly serviceAccountKeyFile: string;
  readonly adminToken: string;
}

/** Names the files under `dir` and writes those that must be there before the start: keys and tokens. */
export function prepare(dir: string, [clientPort = 0, peerPort = 0, apiPort = 0]: readonly number[]): Layout {
  const layout: Layout = {
    dir,
    etcdUrl: `http://127.0.0.1:${clientPort}`,
    peerUrl: `http://127.0.0.1:${peerPort}`,
    apiPort,
    url: `https://127.0.0.1:${apiPort}`,
    caFile: join(dir, 'pki/apiserver.crt'),
    tokenFile: join(dir, 'tokens.csv'),
    serviceAccountKeyFile: join(dir, 'service-account.key'),
    adminToken: randomUUID(),
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(layout.serviceAccountKeyFile, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  writeFileSync(layout.tokenFile, `${layout.adminToken},admin,admin,"system:masters"\n`, { mode: 0o600 });
  return layout;
}

/** How to start etcd. Nothing is synced to disk: the data need not outlive the machine. */
export function etcd({ dir, etcdUrl, peerUrl }: Layout): DaemonOptions {
  return {
    name: 'etcd',
    file: binaryOf('etcd'),
    logFile: join(dir, 'etcd.log'),
    args: [
      '--name=spec',
      `--data-dir=${join(dir, 'etcd')}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=spec=${peerUrl}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
  };
}

/** How to start kube-apiserver: RBAC as in production, and no controller beside it. */
export function kubeApiServer(layout: Layout): DaemonOptions {
  return {
    name: 'kube-apiserver',
    file: binaryOf('kube-apiserver'),
    logFile: join(layout.dir, 'kube-apiserver.log'),
    args: [
      `--etcd-servers=${layout.etcdUrl}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${layout.apiPort}`,
      `--cert-dir=${join(layout.dir, 'pki')}`,
      `--service-account-key-file=${layout.serviceAccountKeyFile}`,
      `--service-account-signing-key-file=${layout.serviceAccountKeyFile}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--token-auth-file=${layout.tokenFile}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.0.0.0/24',
      // Nobody here makes the `default` service accounts that this plugin waits for.
      '--disable-admission-plugins=ServiceAccount',
      // An Endpoints object for the API server itself would need an address that is not loopback.
      '--endpoint-reconciler-type=none',
      ...featureGates(releaseOf(process.env.KUBERNETES).minor),
    ],
  };
}

/** Switches on what specs compare with the sandbox and a release has switched off: streamed lists, before 1.32. */
function featureGates(release: string): readonly string[] {
  const [, minor] = release.split('.');
  return Number(minor) < 32 ? ['--feature-gates=WatchList=true'] : [];
}
