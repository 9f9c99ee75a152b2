import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from './tools.ts';

// Builds the OpenTelemetry Collector that specs push to: about a minute the first time, nothing after that.

const builder = 'go.opentelemetry.io/collector/cmd/builder@v0.150.0';
const folder = join(import.meta.dirname, '../../tools/cluster/otelcol');
const config = 'builder.yaml';
const binary = join(cacheDir, 'bin/otelcol');
const keyFile = join(cacheDir, 'otelcol.key');

/** What the binary was made of: it changes exactly when a rebuild is due. */
const key = createHash('sha256')
  .update(builder)
  .update(readFileSync(join(folder, config)))
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
