import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startCluster } from '../spec/cluster/cluster.ts';
import { rows } from './rows/rows.ts';
import { faultCluster } from './servers/cluster.ts';
import { type FaultServer, type ServerName, serverNames } from './servers/fault-server.ts';
import { startSandbox } from './servers/sandbox.ts';
import { table } from './table.ts';
import { type RowResult, tryRow } from './try-row.ts';

const usage = `Usage: npm run faults -- [--server sandbox|cluster|both] [--only TEXT]... [--seconds N] [--runs N] [--json FILE] [--logs FILE]

Tries every row of the fault matrix, one after the other, and prints a table; exits 1 when a row is red.
--only takes rows whose name contains the text; --list prints their names.`;

const { values } = parseArgs({
  options: {
    server: { type: 'string', default: 'both' },
    only: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string' },
    runs: { type: 'string' },
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

function wanted(name: string): boolean {
  return values.only.length === 0 || values.only.some((text) => name.includes(text));
}

async function main(): Promise<number> {
  if (values.help || !['both', ...serverNames].includes(values.server)) {
    say(usage);
    return values.help ? 0 : 2;
  }
  if (values.list) {
    say(rows.map(({ name }) => name).join('\n'));
    return 0;
  }
  const results: RowResult[] = [];
  for (const name of serverNames.filter((one) => values.server === 'both' || values.server === one)) {
    const server = await starts[name]();
    try {
      results.push(...(await tryAll(server)));
    } finally {
      await server.close();
    }
  }
  say(`\n${table(results)}`);
  return results.every(({ good }) => good) ? 0 : 1;
}

process.exitCode = await main();
