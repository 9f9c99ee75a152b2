import { appendFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startCluster } from '../spec/cluster/cluster.ts';
import { report, type Tried } from './report.ts';
import { rows } from './rows/rows.ts';
import { faultCluster } from './servers/cluster.ts';
import { type FaultServer, type ServerName, serverNames } from './servers/fault-server.ts';
import { startSandbox } from './servers/sandbox.ts';
import { table } from './table.ts';
import { type RowResult, tryRow } from './try-row.ts';
import { worstOfEach } from './worst.ts';

const usage = `Usage: npm run faults -- [--server sandbox|cluster|both] [--only TEXT]... [--seconds N] [--runs N] [--times N] [--markdown FILE] [--json FILE] [--logs FILE]

Tries every row of the fault matrix, one after the other, and prints a table; exits 1 when a row is red.
--only takes rows whose name contains the text; --list prints their names. --times tries them all so often and shows
the worst of each number; --markdown writes the table with its date, versions and command.`;

const { values } = parseArgs({
  options: {
    server: { type: 'string', default: 'both' },
    only: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string' },
    runs: { type: 'string' },
    times: { type: 'string', default: '1' },
    markdown: { type: 'string' },
    json: { type: 'string' },
    logs: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const starts: Readonly<Record<ServerName, () => Promise<FaultServer>>> = {
  sandbox: startSandbox,
  cluster: async () => {
    const cluster = await startCluster();
    const server = await faultCluster(cluster);
    return {
      ...server,
      close: async () => {
        await server.close();
        await cluster.stop();
      },
    };
  },
};

const say = (text: string) => void process.stdout.write(`${text}\n`);

async function tryAll(server: FaultServer): Promise<RowResult[]> {
  const results: RowResult[] = [];
  const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  const onLog = (lines: readonly object[]) => {
    if (values.logs !== undefined)
      appendFileSync(values.logs, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  };
  const options = { seconds: numberOf(values.seconds), runs: numberOf(values.runs), onLog };
  for (const row of rows.filter(({ name }) => wanted(name))) {
    say(`${server.name}: ${row.name}`);
    const result = await tryRow(row, server, options);
    results.push(result);
    say(table([result]).split('\n').at(-1) ?? '');
    if (values.json !== undefined) appendFileSync(values.json, `${JSON.stringify(result)}\n`);
  }
  return results;
}

async function tryOften(server: FaultServer, times: number): Promise<{ results: RowResult[]; tried: Tried }> {
  const results: RowResult[] = [];
  let seconds = 0;
  for (let time = 0; time < times; time += 1) {
    const startMs = performance.now();
    results.push(...(await tryAll(server)));
    seconds = Math.max(seconds, (performance.now() - startMs) / 1000);
  }
  say(`${server.name}: ${times} times, ${(seconds / 60).toFixed(1)} min at most`);
  const { name, versions } = server;
  return { results, tried: { name, versions, seconds } };
}

function wanted(name: string): boolean {
  return values.only.length === 0 || values.only.some((text) => name.includes(text));
}

async function main(): Promise<number> {
  if (values.help || !(Number(values.times) >= 1) || !['both', ...serverNames].includes(values.server)) {
    say(usage);
    return values.help ? 0 : 2;
  }
  if (values.list) {
    say(rows.map(({ name }) => name).join('\n'));
    return 0;
  }
  const times = Number(values.times);
  const results: RowResult[] = [];
  const servers: Tried[] = [];
  for (const name of serverNames.filter((one) => values.server === 'both' || values.server === one)) {
    const server = await starts[name]();
    try {
      const all = await tryOften(server, times);
      results.push(...all.results);
      servers.push(all.tried);
    } finally {
      await server.close();
    }
  }
  say(`\n${table(worstOfEach(results))}`);
  const quoted = process.argv.slice(2).map((arg) => (/\s/.test(arg) ? `'${arg}'` : arg));
  const command = ['npm run faults --', ...quoted].join(' ');
  if (values.markdown !== undefined) writeFileSync(values.markdown, report({ results, command, times, servers }));
  return results.every(({ good }) => good) ? 0 : 1;
}

process.exitCode = await main();
