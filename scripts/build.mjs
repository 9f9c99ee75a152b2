import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
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

/**
 * Modules of packages that gather everything the package has, where a few parts are used: what to bundle instead. Half
 * of the bundle, a quarter of the time to start and 10 MB of memory are in the rest.
 */
const insteadOf = [
  {
    // Connections. Not fetch, WebSocket, caches and mocks.
    file: 'node_modules/undici/index.js',
    contents: `
      const { prototype } = require('./lib/dispatcher/dispatcher.js');
      prototype.request = require('./lib/api/api-request.js');
      // Of tunnels through a proxy.
      prototype.connect = require('./lib/api/api-connect.js');
      exports.Pool = require('./lib/dispatcher/pool.js');
      exports.ProxyAgent = require('./lib/dispatcher/proxy-agent.js');
      exports.buildConnector = require('./lib/core/connect.js');`,
  },
  {
    // Every connection is made with HTTP/1.1; this alone would load node:http2.
    file: 'node_modules/undici/lib/dispatcher/client-h2.js',
    contents: 'module.exports = undefined;',
  },
  {
    // Metrics and their registry. Not the push gateway, which would load node:https, nor the cluster's.
    file: 'node_modules/prom-client/index.js',
    contents: `
      exports.Registry = require('./lib/registry.js');
      exports.Counter = require('./lib/counter.js');
      exports.Gauge = require('./lib/gauge.js');
      exports.Histogram = require('./lib/histogram.js');
      exports.collectDefaultMetrics = require('./lib/defaultMetrics.js');`,
  },
  {
    // The event and its check. Not the transports.
    file: 'node_modules/cloudevents/dist/index.js',
    contents: "exports.CloudEvent = require('./event/cloudevent.js').CloudEvent;",
  },
  {
    // What a kubeconfig can be turned into. Not the 738 models of the API.
    file: 'node_modules/@kubernetes/client-node/dist/gen/index.js',
    contents: `
      export { createConfiguration } from './configuration.js';
      export { ServerConfiguration } from './servers.js';`,
  },
  {
    // Only for a proxy-url, which lib/io/kube/read-kubeconfig.ts refuses.
    file: 'node_modules/socks-proxy-agent/dist/index.js',
    contents: 'export const SocksProxyAgent = undefined;',
  },
  { file: 'node_modules/socks/build/index.js', contents: 'export const SocksClient = undefined;' },
];

const usedPartsOnly = {
  name: 'used-parts-only',
  setup: ({ onLoad }) => {
    for (const { file, contents } of insteadOf) {
      const filter = new RegExp(`/${file.replaceAll('.', '\\.')}$`);
      onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
    }
  },
};

/**
 * Node's own modules by require() wherever they are imported: an import reads every export of one, and three of
 * node:http are getters that load the whole of Node's fetch, 5 MB of memory.
 */
const builtinsByRequire = {
  name: 'builtins-by-require',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'import-statement' && isBuiltin(path) ? { path, namespace: 'builtin' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  // Names stay for stack traces; 7 MB to parse held 8 MB more in memory than 4 MB.
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
};

const opentelemetry = join(root, 'node_modules/@opentelemetry');

/** The worker of the data dir: a script of some 10 KB, inside the one file. */
const worker = await build({
  ...common,
  entryPoints: [join(root, 'lib/io/outbox/outbox-worker.ts')],
  format: 'cjs',
  write: false,
});

rmSync(outfile, { force: true });
await build({
  ...common,
  entryPoints: [entry],
  outfile,
  format: 'esm',
  sourcemap: 'linked',
  // The source is in the repository; without it the map is a third of the size.
  sourcesContent: false,
  legalComments: 'linked',
  define: {
    'process.env.CONTROLLER_VERSION': JSON.stringify(version),
    OUTBOX_WORKER: JSON.stringify(worker.outputFiles[0].text),
  },
  alias: {
    // Its ES modules: only the operators that are used, and as classes.
    rxjs: join(root, 'node_modules/rxjs/dist/esm/index.js'),
    // Its ES modules load a part of themselves by a path that only node_modules has.
    '@opentelemetry/otlp-grpc-exporter-base': join(opentelemetry, 'otlp-grpc-exporter-base/dist/index.cjs'),
    // What that one asks for, not a second time in CommonJS: a tenth of the bundle.
    '@opentelemetry/api': join(opentelemetry, 'api/dist/index.mjs'),
    '@opentelemetry/core': join(opentelemetry, 'core/dist/index.mjs'),
  },
  plugins: [builtinsByRequire, usedPartsOnly, onlyUsedPartsOf('@kubernetes/client-node')],
  banner: { js: banner },
});
chmodSync(outfile, 0o755);
console.log(`${outfile}: ${Math.round(statSync(outfile).size / 1024)} KB`);
