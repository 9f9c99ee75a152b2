import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { argOf, expand, readDockerfile } from './dockerfile.mjs';

/**
 * Carries out a Dockerfile line by line into folders; gives the last stage as `{ root, user, entrypoint, env, labels }`.
 *
 * The machine stands in for the base image: RUN runs here, with this Node first in PATH, in the stage's WORKDIR. So a
 * RUN line may only name paths below its WORKDIR.
 */
export function buildImage({ context, folder, say }) {
  const ignored = allowList(readFileSync(join(context, '.dockerignore'), 'utf8'));
  const done = new Map();
  let image;
  for (const { name, base, steps } of readDockerfile(readFileSync(join(context, 'Dockerfile'), 'utf8'))) {
    say(`FROM ${base}${name === '' ? '' : ` AS ${name}`}`);
    image = { root: join(folder, name || 'image'), args: {}, env: {}, labels: {}, workdir: '/', user: '0:0' };
    mkdirSync(image.root, { recursive: true });
    for (const { keyword, rest } of steps) {
      say(`${keyword} ${rest}`);
      steppers[keyword](image, expand(rest, image.args), { context, done, ignored });
    }
    done.set(name, image);
  }
  return image;
}

const steppers = {
  ARG: (image, rest) => Object.assign(image.args, argOf(rest)),
  ENV: (image, rest) => Object.assign(image.env, argOf(rest)),
  LABEL: (image, rest) => {
    for (const [, name, value] of rest.matchAll(/(\S+?)="([^"]*)"/g)) image.labels[name] = value;
  },
  USER: (image, rest) => Object.assign(image, { user: rest }),
  EXPOSE: () => {},
  ENTRYPOINT: (image, rest) => Object.assign(image, { entrypoint: JSON.parse(rest) }),
  WORKDIR: (image, rest) => {
    image.workdir = rest;
    mkdirSync(join(image.root, rest), { recursive: true });
  },
  RUN: run,
  COPY: copy,
};

function run(image, command) {
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const { status } = spawnSync('sh', ['-c', command], {
    cwd: join(image.root, image.workdir),
    env: { ...process.env, ...image.args, ...image.env, PATH: path },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`RUN ${command}: expected exit code 0, got ${status}`);
}

function copy(image, rest, { context, done, ignored }) {
  const words = rest.split(/\s+/);
  const from = words[0].startsWith('--from=') ? words.shift().slice('--from='.length) : undefined;
  const target = words.pop();
  const origin = from === undefined ? context : done.get(from).root;
  for (const source of words) {
    if (from === undefined && !ignored(source)) throw new Error(`COPY ${source}: expected it in .dockerignore's list`);
    const path = join(origin, source);
    if (!existsSync(path)) throw new Error(`COPY ${source}: expected a file or folder, found none`);
    const inFolder = target.endsWith('/') && !statSync(path).isDirectory();
    const below = target.startsWith('/') ? target : join(image.workdir, target);
    cpSync(path, join(image.root, below, inFolder ? basename(source) : ''), {
      recursive: true,
      preserveTimestamps: true,
    });
  }
}

/** Whether a path is let through by a .dockerignore that refuses everything and then names what it lets through. */
function allowList(text) {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (lines[0] !== '*') throw new Error(`.dockerignore: expected * first, got "${lines[0]}"`);
  const allowed = lines.slice(1).map((line) => line.slice(1));
  return (path) => allowed.some((entry) => path === entry || path.startsWith(`${entry}/`));
}
