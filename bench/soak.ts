import { parseArgs } from 'node:util';
import { profiles } from '../lib/profile.ts';
import { kinds } from '../lib/run/kind.ts';
import { startSandboxApi } from '../lib/sandbox/api/start-sandbox-api.ts';
import { isJson, jsonAt, textAt } from '../lib/sandbox/api/stored-object.ts';
import { startSimulator } from '../lib/sandbox/simulator/start-simulator.ts';
import { type ReceivedEvent, startSink } from '../lib/sandbox/sink.ts';
import { buildBundle, startController } from './support/controller.ts';
import { pause } from './support/pause.ts';
import { rssMb } from './support/process-cost.ts';
import { median } from './support/statistics.ts';

/**
 * The bundle against a sandbox that never rests: is anything lost, told twice or out of order, does memory grow?
 *
 * Every condition that the simulator writes is one that the sink must hear of, by its namespace, name and version.
 */
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, rate: { type: 'string', default: '50' } },
});
const [minutes, changesPerSecond] = [Number(values.minutes), Number(values.rate)];

const heard = { events: 0, twice: 0, disordered: 0 };
const ids = new Set<string>();
/** The last sequence of each source. */
const sequences = new Map<string, string>();
/** Terminal events by source, against the runs that ended. */
const ended = new Set<string>();
let written = 0;
let finished = 0;

function hear({ headers, body }: ReceivedEvent): void {
  const [id, source, sequence, type] = ['ce-id', 'ce-source', 'ce-sequence', 'ce-type'].map((name) =>
    String(headers[name]),
  ) as [string, string, string, string];
  heard.events += 1;
  if (ids.has(id)) heard.twice += 1;
  ids.add(id);
  if (sequence <= (sequences.get(source) ?? '')) heard.disordered += 1;
  sequences.set(source, sequence);
  if (/\.(successful|failed)\./.test(type)) ended.add(uidOf(body));
}

function uidOf(body: unknown): string {
  const [object] = isJson(body) ? Object.values(body) : [];
  return textAt(jsonAt(isJson(object) ? object : {}, 'metadata'), 'uid');
}

const profile = profiles.svc;
const sink = await startSink({ onEvent: hear });
const api = await startSandboxApi({ profile, namespaces: [profile.configNamespace] });
const settings = { 'config-events': { sink: sink.url }, 'feature-flags': { 'send-cloudevents-for-runs': 'true' } };
for (const [name, data] of Object.entries(settings)) {
  api.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: profile.configNamespace }, data });
}
buildBundle();
const controller = await startController({ url: api.url });
const simulator = startSimulator({
  api,
  profile,
  changesPerSecond,
  onCondition: (_, { status }) => {
    written += 1;
    if (status !== 'Unknown') finished += 1;
  },
});

const samples: { readonly minute: number; readonly mb: number }[] = [];
const startedMs = performance.now();
const minuteNow = () => (performance.now() - startedMs) / 60_000;
while (minuteNow() < minutes) {
  await pause(10_000);
  samples.push({ minute: minuteNow(), mb: rssMb(controller.pid).now });
  if (samples.length % 6 === 0) {
    const mb = samples.at(-1)?.mb.toFixed(0);
    console.log(`${minuteNow().toFixed(0)} min: ${written} conditions, ${heard.events} events, RSS ${mb} MB`);
  }
}
await simulator.stop();
for (let waited = 0; waited < 100 && ended.size < finished; waited += 1) await pause(100);

const retained = await controller.metric('retained_runs');
const dropped = await controller.metric('events_dropped_total');
const alive = kinds.reduce(
  (sum, kind) =>
    sum + api.list({ TaskRun: 'taskruns', PipelineRun: 'pipelineruns', CustomRun: 'customruns' }[kind], '').length,
  0,
);
// The first five minutes warm the process up; a soak of less says nothing about memory.
const settled = samples.filter(({ minute }) => minute > 5).map(({ mb }) => mb);
const third = Math.floor(settled.length / 3);
const growthMb = third === 0 ? 0 : median(settled.slice(-third)) - median(settled.slice(0, third));
const verdicts: readonly (readonly [string, boolean])[] = [
  [`${finished} runs ended, ${ended.size} were told`, finished === ended.size],
  [`${heard.twice} events came twice`, heard.twice === 0],
  [`${heard.disordered} events came out of order`, heard.disordered === 0],
  [`${dropped} events were dropped`, dropped === 0],
  [`${retained} runs retained, ${alive} exist`, retained === alive],
  [`RSS grew by ${growthMb.toFixed(1)} MB after the first five minutes`, growthMb < 5],
];
for (const [sentence, good] of verdicts) console.log(`${good ? 'ok    ' : 'FAILED'} ${sentence}`);
await controller.stop();
await api.close();
await sink.close();
process.exitCode = verdicts.every(([, good]) => good) ? 0 : 1;
