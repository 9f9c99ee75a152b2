import { expect } from 'chai';
import { describeKeys } from '../../../config/describe-keys.ts';
import { svc } from '../../support/runs.ts';
import { until } from '../until.ts';
import { type KeyEdit, keyEdits } from './support/key-edits.ts';
import { type KeyStage, type Patch, startKeyStage } from './support/key-stage.ts';
import { kubectl, kubectlSays } from './support/kubectl.ts';

// `SPEC_PRINT=keys` prints the table of every edit that was made and what came of it.

const sentenceOf = ({ key, expected, wrong, got = JSON.stringify(wrong) }: KeyEdit) =>
  `${key}: expected ${expected}, got ${got}`;

describe('every key, edited with kubectl on an installed chart of default values', () => {
  let stage: KeyStage;
  const rows: string[] = [];
  const policy = 'svc-pipelines-controller-keys-config';

  const inForce = async () => (await stage.edit('feature-flags', { 'send-cloudevents-for-runs': 'x' })) !== undefined;

  before(async () => {
    stage = await startKeyStage();
    await stage.back('config-events', { sink: null });
    // The API server takes a new policy up within about a second.
    await until(inForce, { what: 'the policy to be in force' });
    await stage.back('feature-flags', { 'send-cloudevents-for-runs': null });
  });

  after(async () => {
    await stage.close();
    if (process.env.SPEC_PRINT !== 'keys') return;
    console.log(['| map | edit | seen | wrong edit | refused with |', '|---|---|---|---|---|', ...rows].join('\n'));
  });

  it('are all of them', () => {
    expect(keyEdits.map(({ key }) => key)).to.have.members(describeKeys(svc).map(({ key }) => key));
  });

  for (const edit of keyEdits) {
    const { map, key, value, beside = {}, before: first, traces, seen, wrong } = edit;
    const data: Patch = { ...beside, [key]: value };

    it(`${key}: ${value} shows, ${JSON.stringify(wrong)} is refused`, async () => {
      if (first !== undefined) await stage.edit(first.map, first.data);
      expect(await stage.edit(map, data)).to.equal(undefined);
      if (traces) await stage.traced();
      const shown = await seen(stage);
      await stage.back(map, data);
      if (traces) await stage.traced();
      if (first !== undefined) await stage.back(first.map, first.data);

      const refusal = await stage.edit(map, { [key]: wrong });

      expect(refusal).to.equal(sentenceOf(edit));
      rows.push(`| ${[map, JSON.stringify(data), shown, wrong || '""', refusal].map(cell).join(' | ')} |`);
    });
  }

  describe('and where the policy is not installed', () => {
    before(async () => {
      await kubectlSays('delete', `validatingadmissionpolicybinding/${policy}`);
      const refused = async () => (await kubectl(['apply', '--dry-run=server', '-f', '-'], wrongFlag)).code !== 0;
      await until(async () => !(await refused()), { what: 'the policy to be gone' });
    });

    for (const edit of keyEdits) {
      const { map, key, wrong } = edit;

      it(`${key}: ${JSON.stringify(wrong)} is told in a Warning Event about the map`, async () => {
        expect(await stage.edit(map, { [key]: wrong })).to.equal(undefined);
        const about = `--field-selector=reason=InvalidConfig,type=Warning,involvedObject.name=${map}`;
        const messages = ['get', 'events', '-n', 'keys', about, '-o', 'jsonpath={.items[*].message}'];
        await until(async () => (await kubectlSays(...messages)).includes(sentenceOf(edit)), {
          what: `an Event about ${key}`,
          timeoutMs: 20_000,
        });
        await stage.back(map, { [key]: null });
      });
    }
  });
});

const wrongFlag = JSON.stringify({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'feature-flags', namespace: 'keys' },
  data: { 'send-cloudevents-for-runs': 'x' },
});

const cell = (text = '') => text.replaceAll('|', '\\|');
