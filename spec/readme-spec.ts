import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { describeKeys } from '../config/describe-keys.ts';
import { eventType, interfaceEvents } from '../lib/events/event-type.ts';
import { catalogue } from '../lib/metrics/catalogue.ts';
import { type ControllerProcess, startProcess } from './support/controller-process.ts';
import { svc } from './support/runs.ts';

const readme = readFileSync('README.md', 'utf8');
const shell = promisify(execFile);

interface Shown {
  readonly command: string;
  readonly output: readonly string[];
}

/** The commands of all console blocks, each with the output shown below it. */
const shown: readonly Shown[] = [...readme.matchAll(/```console\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.split(/^\$ /m).slice(1))
  .map((text) => text.trimEnd().split('\n'))
  .map(([command = '', ...output]) => ({ command, output: output.filter((line) => line !== '') }));

/** A line as shown, where … stands for anything. */
function lineLike(want: string): RegExp {
  return new RegExp(`^${want.split('…').map(RegExp.escape).join('.*')}$`, 'm');
}

describe('README', () => {
  const [start, ...others] = shown;
  let controller: ControllerProcess;
  /** The README speaks of the usual ports; the suite takes free ones. */
  let asHere: (text: string) => string;

  before(async () => {
    const ports = ['--metrics-port', '0', '--health-port', '0', '--sandbox-port', '0'];
    controller = startProcess([...ports, '--sandbox-print', 'always', '--sandbox-rate', '50']);
    await controller.printed(/Try next/);
    const portIn = (pattern: RegExp) => pattern.exec(controller.stdout())?.[1] ?? '';
    const metrics = portIn(/localhost:(\d+)\/metrics/);
    const health = portIn(/localhost:(\d+)\/$/m);
    const api = portIn(/--server http:\/\/127\.0\.0\.1:(\d+)/);
    asHere = (text) =>
      text.replaceAll(':9090', `:${metrics}`).replaceAll(':8080', `:${health}`).replaceAll(':8001', `:${api}`);
  });
  after(() => controller.stop());

  it('begins with the command that it promises to be enough', () => {
    expect(start?.command).to.equal('npm ci && npm start');
    expect(others.map(({ command }) => command.split(' ')[0])).to.include('curl');
  });

  for (const line of start?.output ?? []) {
    it(`shows what a start prints: ${line.slice(0, 80)}`, () => controller.printed(lineLike(asHere(line))));
  }

  for (const { command, output } of others) {
    it(`shows what this prints: ${command.slice(0, 80)}`, async () => {
      for (;;) {
        const { stdout } = await shell('sh', ['-c', asHere(command)]);
        if (output.every((want) => lineLike(want).test(stdout))) return;
      }
    });
  }

  it('lists the ten metrics, every key of every map and every event type', () => {
    for (const { name } of catalogue) expect(readme).to.include(`| \`${name}\` |`);
    const rows = readme.split('\n');
    for (const { map, key } of describeKeys(svc)) {
      expect(rows.find((row) => row.startsWith(`| \`${map}\``))).to.include(`\`${key}\``);
    }
    for (const { kind, word } of interfaceEvents) {
      const prefix = eventType(svc, { kind, word }).replace(`${word}.v1`, '');
      expect(rows.find((row) => row.includes(`\`${prefix}\``))).to.include(`\`${word}\``);
    }
  });

  it('links only to pages that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = '']) => path);
    expect(links.filter((path) => !existsSync(path))).to.deep.equal([]);
  });
});
