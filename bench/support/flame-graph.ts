/** What is read of a V8 CPU profile. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string };
    readonly children?: readonly number[];
  }[];
  /** A node's id for each sample, and the microseconds before each. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A function called in one place, with what it calls; microseconds. */
interface Flame {
  readonly name: string;
  total: number;
  readonly calls: Map<string, Flame>;
}

interface Options {
  /** Only what the function of this name does; undefined: everything but idleness. */
  readonly within?: string | undefined;
  /** Functions that count as part of who calls them. */
  readonly skip: RegExp;
}

/** The calls of a profile, those of one name in one place as one; numbers that a bundler adds to names are left out. */
export function flameOf({ nodes, samples, timeDeltas }: CpuProfile, { within, skip }: Options): Flame {
  const self = new Map<number, number>();
  for (const [index, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const root = newFlame(within ?? 'all');

  const add = (id: number, path: readonly Flame[]): void => {
    const node = byId.get(id);
    const name = node?.callFrame.functionName.replace(/\d+$/, '') ?? '';
    if (node === undefined || name === '(idle)') return;
    const inside = path.length > 0 || within === undefined || name === within;
    const below = inside ? stepInto(path.length === 0 ? [root] : path, name === within ? '' : name, skip) : path;
    for (const flame of below) flame.total += self.get(id) ?? 0;
    for (const child of node.children ?? []) add(child, below);
  };
  const [first] = nodes;
  if (first !== undefined) add(first.id, []);
  return root;
}

const newFlame = (name: string): Flame => ({ name, total: 0, calls: new Map() });

function stepInto(path: readonly Flame[], name: string, skip: RegExp): readonly Flame[] {
  const last = path.at(-1);
  // A function that calls itself is one flame.
  if (last === undefined || name === '' || skip.test(name) || last.name === name) return path;
  const flame = last.calls.get(name) ?? newFlame(name);
  last.calls.set(name, flame);
  return [...path, flame];
}

const [width, rowHeight, top] = [1000, 18, 30];
/** What is narrower, in pixels, is not drawn. */
const narrowest = 4;

/** The flames as an SVG of some 10 KB: callers below, each as wide as its share of all. */
export function flameSvg(root: Flame, title: string): string {
  const boxes: { readonly flame: Flame; readonly x: number; readonly depth: number }[] = [];
  const place = (flame: Flame, x: number, depth: number): void => {
    boxes.push({ flame, x, depth });
    let left = x;
    for (const call of [...flame.calls.values()].sort((a, b) => b.total - a.total)) {
      const wide = (call.total / root.total) * width;
      if (wide >= narrowest) place(call, left, depth + 1);
      left += wide;
    }
  };
  place(root, 0, 0);
  const rows = Math.max(...boxes.map(({ depth }) => depth)) + 1;
  const height = top + rows * rowHeight + 6;
  const drawn = boxes.map(({ flame, x, depth }) => {
    const share = flame.total / root.total;
    return box(flame.name, share, x, height - 6 - (depth + 1) * rowHeight);
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    `<text x="4" y="18" font-size="13">${escaped(title)}</text>`,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function box(name: string, share: number, x: number, y: number): string {
  const wide = share * width;
  const letters = Math.floor((wide - 6) / 6);
  const percent = `${(share * 100).toFixed(1)}%`;
  const label =
    name.length + percent.length + 1 <= letters ? `${name} ${percent}` : name.slice(0, Math.max(0, letters));
  const hue = 20 + (hashOf(name) % 35);
  return (
    `<g><title>${escaped(name)} ${percent}</title>` +
    `<rect x="${x.toFixed(1)}" y="${y}" width="${wide.toFixed(1)}" height="${rowHeight - 1}" fill="hsl(${hue} 85% 68%)"/>` +
    (letters < 3 ? '' : `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${escaped(label)}</text>`) +
    '</g>'
  );
}

function hashOf(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (hash * 31 + text.charCodeAt(index)) % 65_521;
  return hash;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
