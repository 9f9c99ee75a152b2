import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type CpuProfile, flameOf, flameSvg } from './support/flame-graph.ts';

const usage = `Usage: node bench/flame.ts PROFILE.cpuprofile FILE.svg --title TEXT [--within FUNCTION] [--skip REGEXP]

Draws a CPU profile (node --cpu-prof, or /debug/pprof's) as a flame graph: as wide as its share of the time.
--within  only what this function does, wherever it is called
--skip    functions drawn as part of who calls them; default: those without a name, of WebAssembly and of rxjs`;

const plumbing =
  '^$|^\\(anonymous\\)$|^wasm|^js-to-wasm|^\\(root\\)$|Subscriber|Subject|Observer|errorContext|^attempt|^guarded|^next$';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    title: { type: 'string' },
    within: { type: 'string' },
    skip: { type: 'string', default: plumbing },
  },
});
const [from, to] = positionals;
if (from === undefined || to === undefined || values.title === undefined) {
  console.log(usage);
  process.exitCode = 2;
} else {
  const profile: CpuProfile = JSON.parse(readFileSync(from, 'utf8'));
  const flame = flameOf(profile, { within: values.within, skip: new RegExp(values.skip) });
  writeFileSync(to, flameSvg(flame, values.title));
}
