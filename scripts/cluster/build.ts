import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { binaryOf, buildArguments, buildKey, keyFileOf, moduleDir, type Tool, tools } from './tools.ts';

// Builds what specs on the real cluster run: about six minutes on two cores the first time, nothing after that.
// `KUBERNETES` names another pinned release than the default, which is built beside it: four minutes more, once.

function isBuilt(tool: Tool): boolean {
  if (!existsSync(binaryOf(tool.name)) || !existsSync(keyFileOf(tool))) return false;
  return readFileSync(keyFileOf(tool), 'utf8') === buildKey(tool);
}

function requireGo(): void {
  const { error, status } = spawnSync('go', ['version'], { stdio: 'ignore' });
  if (error === undefined && status === 0) return;
  throw new Error('the real cluster is built from source: expected Go 1.26 or newer as `go` in PATH, found none');
}

function build(tool: Tool): void {
  const startedAt = performance.now();
  mkdirSync(dirname(binaryOf(tool.name)), { recursive: true });
  console.log(`building ${tool.name} from tools/cluster/${tool.module}`);
  const { error, status } = spawnSync('go', buildArguments(tool), { cwd: moduleDir(tool), stdio: 'inherit' });
  if (error !== undefined || status !== 0) {
    throw new Error(`expected go build of ${tool.package} to exit 0, got ${error?.message ?? status}`);
  }
  writeFileSync(keyFileOf(tool), buildKey(tool));
  console.log(`built ${tool.name} in ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

try {
  const missing = tools().filter((tool) => !isBuilt(tool));
  if (missing.length > 0) requireGo();
  for (const tool of missing) build(tool);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
