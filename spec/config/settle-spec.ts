import { expect } from 'chai';
import { whole } from '../../config/formats/whole.ts';
import type { Rows } from '../../config/row.ts';
import { settle } from '../../config/settle.ts';

interface Settings {
  readonly port: number;
  readonly retries: number;
}

const row = (key: string, byDefault: string) => ({
  key,
  format: whole({ min: 1, max: 65_535 }),
  default: byDefault,
  doc: 'A number.',
  example: '7',
});
const rows: Rows<Settings> = { port: row('metrics-port', '9090'), retries: row('max-retries', '3') };

describe('settle', () => {
  it('gives the default of its row to every field without a value', () => {
    expect(settle(rows)).to.deep.equal({ port: 9090, retries: 3 });
    expect(settle(rows, { port: 80 })).to.deep.equal({ port: 80, retries: 3 });
  });

  it('lets later layers outrank earlier ones', () => {
    expect(settle(rows, { port: 80, retries: 5 }, { port: 81 })).to.deep.equal({ port: 81, retries: 5 });
  });

  it('refuses a table whose default is not of its own format', () => {
    const wrong = { ...rows, retries: row('max-retries', '5x') };
    expect(() => settle(wrong)).to.throw(`max-retries: its default is not ${wrong.retries.format.expected}`);
  });

  it('refuses a value for a field that no row has', () => {
    expect(() => settle(rows, { prot: 80 })).to.throw(/prot/);
  });
});
