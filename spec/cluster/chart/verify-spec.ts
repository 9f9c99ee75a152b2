import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { runCommand } from '../run-command.ts';
import { only, render } from './support/helm.ts';

interface TestPod {
  readonly containers: readonly { readonly command: readonly string[]; readonly args: readonly string[] }[];
}

async function serve(status: number, text: string): Promise<{ server: Server; url: string }> {
  const server = createServer((_, response) => response.writeHead(status).end(text)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

describe('the pod of helm test', () => {
  const good = 'svc_pipelines_controller_build_info{version="1"} 1\n';
  const cases = [
    { title: 'passes when both answer as they should', ready: 200, metrics: 200, text: good, code: 0 },
    { title: 'fails when the controller is not ready', ready: 503, metrics: 200, text: good, code: 1 },
    { title: 'fails when metrics are refused', ready: 200, metrics: 404, text: good, code: 1 },
    { title: 'fails when somebody else answers', ready: 200, metrics: 200, text: 'hello', code: 1 },
  ];

  for (const { title, ready, metrics, text, code } of cases) {
    it(title, async () => {
      const [health, scrape] = [await serve(ready, 'ok'), await serve(metrics, text)];
      const pod = only(await render(), 'Pod').spec as unknown as TestPod;
      const [{ command = [], args = [] } = {}] = pod.containers;
      const [script = '', readyUrl, metricsUrl, ...rest] = args;
      expect([readyUrl, metricsUrl]).to.deep.equal([
        'http://svc-pipelines-controller.svc-pipelines:8080/readyz',
        'http://svc-pipelines-controller.svc-pipelines:9090/metrics',
      ]);

      // The image's Node is this one, elsewhere.
      const given = [...command.slice(1), script, health.url, scrape.url, ...rest];
      const finished = await runCommand(process.execPath, given);
      for (const { server } of [health, scrape]) server.close();

      expect(finished.code, finished.stdout + finished.stderr).to.equal(code);
    });
  }
});
