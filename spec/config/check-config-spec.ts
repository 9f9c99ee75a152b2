import { expect } from 'chai';
import { checkConfig } from '../../config/check-config.ts';
import { profiles } from '../../lib/profile.ts';

const check = (...texts: string[]) =>
  checkConfig(
    texts.map((text, index) => ({ name: `${index}.yaml`, text })),
    profiles.svc,
  );

const map = (name: string, ...data: string[]) =>
  [
    'apiVersion: v1',
    'kind: ConfigMap',
    'metadata:',
    `  name: ${name}`,
    'data:',
    ...data.map((line) => `  ${line}`),
  ].join('\n');

describe('checkConfig', () => {
  it('says ok for each good map', () => {
    const text = [map('config-events', 'sink: http://sink'), map('feature-flags', 'a: "1"')].join('\n---\n');
    expect(check(text)).to.deep.equal({
      exitCode: 0,
      lines: ['0.yaml: config-events: ok', '0.yaml: feature-flags: ok'],
    });
  });

  it('names every problem of every map and file at once', () => {
    const report = check(
      map('config-observability', 'metrics.taskrun.level: pod', 'metrics.count.enable-reason: true', 'sync: x'),
      map('config-events', 'formats: ""', 'sink: secret'),
    );
    expect(report).to.deep.equal({
      exitCode: 1,
      lines: [
        '0.yaml: config-observability: metrics.taskrun.level: expected taskrun | task | namespace, got "pod"',
        '0.yaml: config-observability: metrics.count.enable-reason: expected a text in quotes, got the boolean true',
        '0.yaml: config-observability: warning: sync: unknown key',
        '1.yaml: config-events: formats: expected a comma-separated list of svcv1, got ""',
        '1.yaml: config-events: sink: expected an absolute http:// or https:// URL, got a text that is no URL',
      ],
    });
  });

  it('warns without failing, also of maps that contradict each other', () => {
    const report = check(
      map('config-events', 'sink: http://one'),
      map('config-defaults', 'default-cloud-events-sink: http://other'),
    );
    expect(report).to.deep.equal({
      exitCode: 0,
      lines: [
        '0.yaml: config-events: ok',
        '1.yaml: config-defaults: warning: default-cloud-events-sink: deprecated and to be removed, set sink in config-events instead',
        '1.yaml: config-defaults: ok',
        'config-defaults: warning: default-cloud-events-sink: not used, because config-events names a sink and that one takes precedence',
      ],
    });
  });

  const wrong = [
    {
      what: 'broken YAML with its line',
      text: 'a:\n  b: 1\n c: 2',
      want: '0.yaml: expected YAML, got bad indent at line 3, column 1',
    },
    {
      what: 'a key twice',
      text: map('config-events', 'sink: http://a', 'sink: http://b'),
      want: '0.yaml: expected YAML, got duplicate key at line 7, column 3',
    },
    {
      what: 'an alias that leads nowhere',
      text: 'a: *b',
      want: '0.yaml: expected YAML with at most 100 aliases, got more or an unknown one',
    },
    { what: 'an empty file', text: '---\n---\n', want: '0.yaml: expected a ConfigMap, got an empty file' },
    { what: 'a file of nothing', text: '', want: '0.yaml: expected a ConfigMap, got an empty file' },
    { what: 'another kind', text: 'kind: Secret', want: '0.yaml: expected kind ConfigMap, got "Secret"' },
    { what: 'a text', text: 'hello', want: '0.yaml: expected kind ConfigMap, got none' },
    {
      what: 'a map by another name',
      text: map('config-event'),
      want: '0.yaml: expected a ConfigMap called config-observability | config-events | config-defaults | feature-flags, got "config-event", did you mean config-events?',
    },
    {
      what: 'a map without a name',
      text: 'kind: ConfigMap',
      want: '0.yaml: expected a ConfigMap called config-observability | config-events | config-defaults | feature-flags, got none',
    },
    {
      what: 'data that is a list',
      text: 'kind: ConfigMap\nmetadata: {name: config-events}\ndata: [sink]',
      want: '0.yaml: config-events: data: expected a mapping of keys to texts, got something else',
    },
  ];
  for (const { what, text, want } of wrong) {
    it(`refuses ${what}`, () => {
      expect(check(text)).to.deep.equal({ exitCode: 1, lines: [want] });
    });
  }

  it('takes a map without data, and looks into a list', () => {
    const text = 'kind: List\nitems:\n- kind: ConfigMap\n  metadata: {name: config-events}\n  data:\n- kind: Pod\n';
    expect(check(text)).to.deep.equal({
      exitCode: 1,
      lines: ['0.yaml: config-events: ok', '0.yaml: expected kind ConfigMap, got "Pod"'],
    });
  });
});
