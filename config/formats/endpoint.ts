import type { Format } from './format.ts';
import { quoted } from './quoted.ts';

const pattern = /^(?:https?:\/\/)?([A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\]):([1-9]\d{0,4})$/;

/**
 * Where metrics or traces are pushed: `host:port`, `http://host:port` or `https://host:port`, IPv6 in brackets.
 *
 * No path and no credentials: headers come from the environment (`OTEL_EXPORTER_OTLP_HEADERS`).
 */
export const endpoint: Format<string> = {
  expected: 'host:port, http://host:port or https://host:port',
  parse: (text) => {
    const [, host = '', port = ''] = pattern.exec(text) ?? [];
    const fits = host !== '' && Number(port) <= 65_535 && URL.canParse(`http://${host}:${port}`);
    return fits ? { value: text } : undefined;
  },
  // A path or a wrong port is what people get wrong here, so the text is worth showing as long as it names no user.
  shown: (text) => (text.includes('@') ? quoted(text) : JSON.stringify(text.slice(0, 80))),
};
