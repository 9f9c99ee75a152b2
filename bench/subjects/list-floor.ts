import { get } from 'node:http';

/** The least that reads a list: raw pages of 500, each parsed, its objects counted and let go. */
const [url = ''] = process.argv.slice(2);
const listUrl = `${url}/apis/svc.dev/v1/taskruns?limit=500`;

function page(
  from: string,
): Promise<{ readonly items: readonly unknown[]; readonly metadata: { readonly continue?: string } }> {
  return new Promise((resolve, reject) => {
    get(from, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
    }).on('error', reject);
  });
}

process.on('message', async ({ id }: { readonly id: number }) => {
  const before = process.cpuUsage();
  let seen = 0;
  let from: string | undefined = listUrl;
  while (from !== undefined) {
    const { items, metadata } = await page(from);
    seen += items.length;
    from = metadata.continue === undefined ? undefined : `${listUrl}&continue=${metadata.continue}`;
  }
  const { user, system } = process.cpuUsage(before);
  process.send?.({ id, told: { seen, cpuMs: (user + system) / 1000 } });
});
process.on('disconnect', () => process.exit(0));
process.send?.({ id: 0, told: {} });
