/**
 * The stages of a Dockerfile: `{ name, base, steps: [{ keyword, rest }] }`, in order, with the ARGs before the first.
 *
 * Reads the keywords that ours uses; any other throws, as a line left out would prove nothing.
 */
export function readDockerfile(text) {
  const args = {};
  const stages = [];
  for (const line of logicalLines(text)) {
    const [, keyword = '', rest = ''] = /^([A-Z]+)\s+(.*)$/s.exec(line) ?? [];
    if (!known.has(keyword)) throw new Error(`Dockerfile: expected one of ${[...known].join(' ')}, got "${line}"`);
    if (keyword === 'FROM') stages.push(stageOf(expand(rest, args)));
    else if (stages.length === 0) Object.assign(args, argOf(rest));
    else stages.at(-1).steps.push({ keyword, rest });
  }
  return stages;
}

const known = new Set(['ARG', 'COPY', 'ENTRYPOINT', 'ENV', 'EXPOSE', 'FROM', 'LABEL', 'RUN', 'USER', 'WORKDIR']);

function logicalLines(text) {
  const joined = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ');
  return joined
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function stageOf(rest) {
  const [base, , name = ''] = rest.split(/\s+/);
  return { name, base, steps: [] };
}

/** `NAME=value` as an object. */
export function argOf(rest) {
  const [name, ...value] = rest.split('=');
  return { [name]: value.join('=') };
}

/** The text with `${NAME}` replaced by its value; an unknown one throws. */
export function expand(text, args) {
  return text.replace(/\$\{(\w+)\}/g, (_, name) => {
    if (!(name in args)) throw new Error(`Dockerfile: expected an ARG ${name} before its use, found none`);
    return args[name];
  });
}
