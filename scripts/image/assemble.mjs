import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Puts the image's file system into a folder: this Node, the libraries it loads, the bundle, its licences and its SBOM.
 *
 * Argument: the folder. `SOURCE_DATE_EPOCH` (seconds) becomes the time of every file. Run after `npm run build`.
 */
const root = process.argv[2] ?? 'rootfs';
const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? 0);
const docs = 'usr/share/doc/svc-pipelines-controller';

function put(from, to, mode) {
  const target = join(root, to);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(from, target);
  chmodSync(target, mode);
}

function write(to, text) {
  mkdirSync(dirname(join(root, to)), { recursive: true });
  writeFileSync(join(root, to), text, { mode: 0o644 });
}

/** Shared libraries and the dynamic loader, each at the path where the loader looks for it. */
function librariesOf(binary) {
  const listed = execFileSync('ldd', [binary], { encoding: 'utf8' });
  return [...listed.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path);
}

/** What is in the bundle, as CycloneDX; without the serial number and the time, which differ with each run. */
function bill() {
  const text = execFileSync('npm', ['sbom', '--omit=dev', '--sbom-format=cyclonedx', '--package-lock-only'], {
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  });
  const { serialNumber: _, metadata, ...rest } = JSON.parse(text);
  return JSON.stringify({ ...rest, metadata: { ...metadata, timestamp: new Date(epoch * 1000).toISOString() } });
}

function setTimes(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) setTimes(path);
    else lutimesSync(path, epoch, epoch);
  }
  lutimesSync(folder, epoch, epoch);
}

rmSync(root, { recursive: true, force: true });
put(process.execPath, 'usr/bin/node', 0o755);
for (const library of librariesOf(process.execPath)) put(realpathSync(library), library, 0o755);
put('dist/controller.mjs', 'app/controller.mjs', 0o644);
// esbuild writes it when any bundled package asks for its licence to be kept.
const notices = 'dist/controller.mjs.LEGAL.txt';
if (existsSync(notices)) put(notices, join(docs, 'THIRD-PARTY.txt'), 0o644);
put('LICENSE', join(docs, 'LICENSE'), 0o644);
write(join(docs, 'sbom.cdx.json'), bill());
write('etc/passwd', 'nonroot:x:65532:65532:nonroot:/app:/sbin/nologin\n');
write('etc/group', 'nonroot:x:65532:\n');
// Without it glibc asks DNS before /etc/hosts, where the kubelet puts hostAliases.
write('etc/nsswitch.conf', 'hosts: files dns\n');
// Mount points: the root is read-only when the container starts.
for (const folder of ['data', 'dev', 'proc', 'sys', 'tmp']) mkdirSync(join(root, folder), { mode: 0o755 });
setTimes(root);
console.log(`${root}: ${readFileSync(join(root, 'app/controller.mjs')).length} bytes of controller`);
