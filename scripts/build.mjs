import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles the controller and everything it imports into one file that needs only Node 24.
 *
 * Arguments, for specs of the bundle: `[entry] [outfile]`; by default `streams/main.ts` becomes
 * `dist/controller.mjs`, with its source map and the licences of what is inside beside it.
 */
const root = join(import.meta.dirname, '..');
const [entry = join(root, 'streams/main.ts'), outfile = join(root, 'dist/controller.mjs')] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

// Packages in CommonJS ask for node's own modules with require(), which an ES module does not have.
const banner = [
  '#!/usr/bin/env node',
  "import { createRequire as createRequireOfBundle } from 'node:module';",
  'const require = createRequireOfBundle(import.meta.url);',
].join('\n');

/**
 * Of client-node only what reads a kubeconfig is used; it is side by side with 5 MB of generated API classes, which
 * declare no side effects and are dropped once the bundler is told so.
 */
const onlyUsedPartsOf = (name) => ({
  name: `only-used-parts-of-${name}`,
  setup: ({ onResolve, resolve }) => {
    onResolve({ filter: /./ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === name || !(from.importer.includes(name) || path.includes(name))) return undefined;
      const found = await resolve(path, { ...from, pluginData: name });
      const inside = !found.external && found.errors.length === 0 && found.path.includes(`node_modules/${name}/`);
      return inside ? { path: found.path, sideEffects: false } : undefined;
    });
  },
});

rmSync(outfile, { force: true });
await build({
  entryPoints: [entry],
  outfile,
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  sourcemap: 'linked',
  // The source is in the repository; without it the map is a third of the size.
  sourcesContent: false,
  legalComments: 'linked',
  // Names stay for stack traces; 7 MB to parse held 8 MB more in memory than 4 MB.
  minifySyntax: true,
  minifyWhitespace: true,
  define: { 'process.env.CONTROLLER_VERSION': JSON.stringify(version) },
  // Its ES modules load a part of themselves by a path that only node_modules has.
  alias: {
    '@opentelemetry/otlp-grpc-exporter-base': join(
      root,
      'node_modules/@opentelemetry/otlp-grpc-exporter-base/dist/index.cjs',
    ),
  },
  plugins: [onlyUsedPartsOf('@kubernetes/client-node')],
  banner: { js: banner },
  logLevel: 'warning',
});
chmodSync(outfile, 0o755);
console.log(`${outfile}: ${Math.round(statSync(outfile).size / 1024)} KB`);
