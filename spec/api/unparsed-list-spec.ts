import { expect } from 'chai';
import { createKubeApi } from '../../lib/io/kube/kube-api.ts';
import { loadKubeConfig } from '../../lib/io/kube/load-kube-config.ts';
import { noMeasure } from '../../lib/metrics/own.ts';
import { type ServerUnderTest, serverUnderTest } from '../support/server-under-test.ts';
import { createRuns, itemsOf, taskRuns } from './requests.ts';

const taskRunType = { group: 'svc.dev', version: 'v1', kind: 'TaskRun', plural: 'taskruns', namespaced: true };

describe('API: a list as we read it', () => {
  let server: ServerUnderTest;
  before(async () => {
    server = await serverUnderTest();
  });
  after(() => server.close());

  it('is left in its bytes, page by page, whatever the server writes first', async () => {
    const namespace = await server.freshNamespace();
    await createRuns(server, namespace, ['a', 'b', 'c']);
    const connection = await loadKubeConfig({ file: server.kubeconfigFile, env: {} });
    const api = createKubeApi({ connection, measure: noMeasure, onLatency: () => {}, userAgent: 'spec' });
    try {
      const first = await api.list(taskRunType, namespace, { limit: 2, unparsed: true });
      const { continueToken } = first;
      const second = await api.list(taskRunType, namespace, { limit: 2, unparsed: true, continueToken });

      const whole = itemsOf(await server.request('GET', taskRuns(namespace)));
      const parsed = [first, second].map(({ unparsed }) => unparsed?.map((object) => object.parse()));
      expect(parsed).to.deep.equal([whole.slice(0, 2), whole.slice(2)]);
      expect(second.resourceVersion).to.equal(first.resourceVersion);
      expect(second.continueToken).to.equal('');
    } finally {
      await api.close();
    }
  });
});
