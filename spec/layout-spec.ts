import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';

/** What each part of the tree may import; the first matching row decides. */
const rules: readonly { part: string; mayImport: RegExp }[] = [
  { part: 'lib/io/', mayImport: /^(?!config\/|streams\/|lib\/sandbox\/|rxjs)/ },
  { part: 'lib/sandbox/', mayImport: /^(?!config\/|streams\/|lib\/io\/|rxjs)/ },
  { part: 'lib/', mayImport: /^lib\/(?!io\/|sandbox\/)/ },
  { part: 'config/', mayImport: /^(config\/|lib\/(?!io\/|sandbox\/)|(convict|yaml)$)/ },
  { part: 'streams/main.ts', mayImport: /./ },
  // The parts of main: what connects the edge to the streams.
  { part: 'streams/wiring/', mayImport: /^(?!streams\/main)/ },
  { part: 'streams/', mayImport: /^(streams\/(?!main|wiring\/)|config\/|lib\/(?!io\/|sandbox\/)|rxjs$)/ },
];

const files = ['lib', 'config', 'streams'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
);

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  const declared = [...source.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'/gm)];
  const loaded = [...source.matchAll(/\bimport\('([^']+)'\)/g)];
  return [...declared, ...loaded].map(([, to = '']) => (to.startsWith('.') ? join(dirname(file), to) : to));
}

describe('layout', () => {
  it('finds the source', () => {
    expect(files).to.include.members(['lib/run/run.ts', 'config/settings.ts', 'streams/main.ts']);
    expect(importsOf('streams/controller.ts')).to.include('rxjs');
  });

  for (const file of files) {
    it(`${file} imports only what its folder may`, () => {
      const rule = rules.find(({ part }) => file.startsWith(part));
      const strays = importsOf(file).filter((to) => !rule?.mayImport.test(to));
      expect(strays).to.deep.equal([]);
    });
  }

  it('subscribes in one place, but for operators that hold a source of their own', () => {
    const outside = files
      .filter((file) => file.startsWith('streams/') && !/^streams\/(wiring|operators)\//.test(file))
      .filter((file) => /\.subscribe\(/.test(readFileSync(file, 'utf8')));
    expect(outside).to.deep.equal(['streams/pipelines/courier.ts', 'streams/pipelines/deliver.ts']);
  });

  it('knows a vendor by name in its profile alone', () => {
    const vendor = /tekton|svc\.dev|svc-pipelines|svc_pipelines|dev\.svc|svcv1/i;
    const strays = files.filter((file) => file !== 'lib/profile.ts' && vendor.test(code(readFileSync(file, 'utf8'))));
    expect(strays).to.deep.equal([]);
  });
});

/** The source without its comments. */
function code(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
