import { type Health, isReady, originOf } from './health.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that stands for itself between tags and inside quotes. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

const row = (...cells: readonly string[]) => `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`;

function table(caption: string, rows: readonly string[]): string {
  return rows.length === 0 ? '' : `<table><caption>${escapeHtml(caption)}</caption>${rows.join('')}</table>`;
}

const style = `body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:50rem;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0;width:100%}caption{font-weight:bold;text-align:left}
td{border-top:1px solid #8886;padding:.3rem .6rem;vertical-align:top;overflow-wrap:anywhere}
:root{color-scheme:light dark}`;

/** The status page: one HTML document, nothing loaded from elsewhere, every value escaped. */
export function statusPage(health: Health): string {
  const ready = isReady(health) ? 'ready' : 'not ready';
  const facts = Object.entries(health.facts ?? {}).map(([name, value]) => row(name, value));
  const checks = health.checks.map(({ name, ok, reason }) => row(name, ok ? 'ok' : 'not ok', reason ?? ''));
  const settings = (health.settings ?? []).map((one) => row(one.map, one.key, one.value, originOf(one)));
  const notes = health.notes.map((note) => row(note));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Pipelines controller: ${ready}</title><style>${style}</style></head>
<body><h1>Pipelines controller: ${ready}</h1>
${[table('About', facts), table('Checks', checks), table('Notes', notes), table('Settings', settings)].join('\n')}
<p><a href="healthz">healthz</a> · <a href="readyz?verbose">readyz</a> · <a href="status">status</a></p></body></html>
`;
}
