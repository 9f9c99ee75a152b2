// Type stripping and node:sqlite need Node 24; npm scripts find it through the dev dependency `node`.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(
    `svc-pipelines-controller needs Node 24 or newer, found ${process.version} at ${process.execPath}; run npm ci again`,
  );
  process.exit(1);
}
