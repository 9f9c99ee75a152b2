/** What is wrong with a series of scrapes, each against itself and against those before. */
interface ScrapeJudge {
  /** Takes one answer of `/metrics`. */
  see(status: number, body: string): void;
  readonly seen: Readonly<Record<number, number>>;
  /** One sentence each, the first twenty. */
  readonly faults: readonly string[];
}

const sentence = /^metrics are not served here while metrics-protocol is (grpc|http\/protobuf|none)\n$/;
const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

/** Every answer is 200 with one label shape a metric, or 404 with its sentence; no counter ever steps back. */
export function scrapeJudge(): ScrapeJudge {
  const counters = new Map<string, number>();
  const seen: Record<number, number> = {};
  const faults: string[] = [];
  const fault = (text: string) => {
    if (faults.length < 20) faults.push(text);
  };

  const readSamples = (body: string) => {
    const shapes = new Map<string, string>();
    const types = new Map<string, string>();
    for (const line of body.split('\n')) {
      const [, name = '', type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
      if (types.has(name)) fault(`${name} stands there twice`);
      if (name !== '') types.set(name, type);
      const [, sample, labels = '', value] = sampleLine.exec(line) ?? [];
      if (sample === undefined) continue;
      const shape = [...labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)]
        .map(([, label]) => label)
        .filter((one) => one !== 'le')
        .join();
      if ((shapes.get(sample) ?? shape) !== shape) fault(`${sample} has {${shapes.get(sample)}} and {${shape}}`);
      shapes.set(sample, shape);
      if (types.get(sample) !== 'counter') continue;
      const series = `${sample}{${labels}}`;
      if (Number(value) < (counters.get(series) ?? 0))
        fault(`${series} stepped back from ${counters.get(series)} to ${value}`);
      counters.set(series, Number(value));
    }
    if (!types.has('process_cpu_seconds_total')) fault('the scrape was cut off');
  };

  return {
    see(status, body) {
      seen[status] = (seen[status] ?? 0) + 1;
      if (status === 200) readSamples(body);
      else if (status !== 404 || !sentence.test(body)) fault(`answered ${status} ${body.slice(0, 100)}`);
    },
    seen,
    faults,
  };
}
