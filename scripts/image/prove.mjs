import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { buildImage } from './build-image.mjs';
import { startImage } from './start-image.mjs';

// Proves the Dockerfile where no container engine is: carries it out and starts what it made. Needs root on Linux.
// It says each step; exit code 0 when the image answers on its ports as user 65532 and ends within 10 s of SIGTERM.

const context = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'image-'));
const say = (sentence) => console.log(sentence);

/** SHA-256 over every path, mode, time and content, so that two builds can be compared by one line. */
function digestOf(root) {
  const hash = createHash('sha256');
  for (const path of readdirSync(root, { recursive: true }).sort()) {
    const { mode, mtimeMs } = lstatSync(join(root, path));
    hash.update(`${path} ${mode} ${lstatSync(join(root, path)).isDirectory() ? '' : mtimeMs}\n`);
    if (lstatSync(join(root, path)).isFile()) hash.update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

async function expectExit(image, args, wanted) {
  const child = startImage(image, args);
  const [[code], output, errors] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  if (code !== wanted) {
    throw new Error(`${args.join(' ')}: expected exit code ${wanted}, got ${code}\n${errors.slice(-2000)}`);
  }
  return output.trim();
}

async function answers(url) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return answer.text();
    await wait(100);
  }
  throw new Error(`${new URL(url).pathname}: expected 200 within 10 s, got none`);
}

async function proveRun(image) {
  const [metricsPort, healthPort] = [await freePort(), await freePort()];
  const ports = [`--metrics-port=${metricsPort}`, `--health-port=${healthPort}`, '--profiling-port=0'];
  const child = startImage(image, ['--sandbox=true', '--bind-address=127.0.0.1', ...ports]);
  child.stdout.resume();
  const errors = text(child.stderr);
  const closed = once(child, 'close');
  try {
    await answers(`http://127.0.0.1:${healthPort}/readyz`);
    const metrics = await answers(`http://127.0.0.1:${metricsPort}/metrics`);
    if (!metrics.includes('build_info{')) throw new Error('/metrics: expected build_info, found none');
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    const [, uid] = /^Uid:\s+(\d+)/m.exec(status) ?? [];
    if (uid !== '65532') throw new Error(`user: expected 65532, got ${uid}`);
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`${error.message}\n${(await errors).slice(-2000)}`);
  }
  child.kill('SIGTERM');
  const [code] = await Promise.race([closed, wait(10_000).then(() => ['none within 10 s'])]);
  child.kill('SIGKILL');
  if (code !== 0) throw new Error(`SIGTERM: expected exit code 0, got ${code}\n${(await errors).slice(-2000)}`);
}

try {
  const image = buildImage({ context, folder, say });
  say(`digest ${digestOf(image.root)}`);
  say(`version ${await expectExit(image, ['--version'], 0)}`);
  await expectExit(image, ['--no-such-flag'], 2);
  await proveRun(image);
  say('the image starts as 65532 on a read-only root, is ready, is scraped and stops');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
