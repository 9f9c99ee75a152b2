import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from './tools.ts';

// Builds the OpenTelemetry Collector that specs push to: about a minute the first time, nothing after that.

// go.mod pins the builder, builder.yaml what it builds.
const builder = 'go.opentelemetry.io/collector/cmd/builder';
const folder = join(import.meta.dirname, '../../tools/cluster/otelcol');
const config = 'builder.yaml';
const madeOf = ['go.mod', 'go.sum', config];
const binary = join(cacheDir, 'bin/otelcol');
const keyFile = join(cacheDir, 'otelcol.key');

/** What the binary was made of: it changes exactly when a rebuild is due. */
const key = madeOf
  .reduce((hash, file) => hash.update(readFileSync(join(folder, file))), createHash('sha256'))
  .digest('hex');

function build(): void {
  console.log(`building otelcol from tools/cluster/otelcol/${config}`);
  const { error, status } = spawnSync('go', ['run', builder, '--config', config], { cwd: folder, stdio: 'inherit' });
  if (error !== undefined || status !== 0) {
    throw new Error(`expected the collector's builder to exit 0, got ${error?.message ?? status}`);
  }
  mkdirSync(join(cacheDir, 'bin'), { recursive: true });
  copyFileSync(join(cacheDir, 'otelcol/otelcol'), binary);
  writeFileSync(keyFile, key);
}

const isBuilt = existsSync(binary) && existsSync(keyFile) && readFileSync(keyFile, 'utf8') === key;
try {
  if (!isBuilt) build();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
