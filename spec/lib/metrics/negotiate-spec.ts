import { expect } from 'chai';
import { acceptsGzip, negotiateFormat } from '../../../lib/metrics/negotiate.ts';

describe('negotiateFormat', () => {
  const prometheus =
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;' +
    'q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';
  const rows: readonly { accept: string | undefined; want: string }[] = [
    { accept: undefined, want: 'text' },
    { accept: '', want: 'text' },
    { accept: '*/*', want: 'text' },
    { accept: prometheus, want: 'openmetrics' },
    { accept: 'application/openmetrics-text; version=1.0.0', want: 'openmetrics' },
    { accept: 'application/openmetrics-text', want: 'openmetrics' },
    { accept: 'Application/OpenMetrics-Text; Version=1.0.0', want: 'openmetrics' },
    { accept: 'application/openmetrics-text; version=0.0.1', want: 'text' },
    { accept: 'application/openmetrics-text; version=2.0.0', want: 'text' },
    { accept: 'application/openmetrics-text;q=0', want: 'text' },
    { accept: 'application/openmetrics-text;q=0.2,text/plain;q=0.8', want: 'text' },
    { accept: 'text/plain;version=0.0.4,application/openmetrics-text', want: 'openmetrics' },
    { accept: 'application/openmetrics-text;q=0.5,text/plain;version=1.0.0;q=0.9', want: 'openmetrics' },
    { accept: 'application/openmetrics-text;q=most', want: 'text' },
    { accept: 'text/html,application/xhtml+xml;q=0.9', want: 'text' },
    { accept: `application/openmetrics-text${','.repeat(5000)}`, want: 'text' },
  ];

  for (const { accept, want } of rows) {
    it(`answers Accept: ${accept?.slice(0, 100)} with ${want}`, () => {
      expect(negotiateFormat(accept)).to.equal(want);
    });
  }
});

describe('acceptsGzip', () => {
  const rows: readonly { header: string | undefined; want: boolean }[] = [
    { header: undefined, want: false },
    { header: 'gzip', want: true },
    { header: 'deflate, GZIP;q=0.5, br', want: true },
    { header: 'gzip;q=0', want: false },
    { header: 'gzip;q=0, *', want: false },
    { header: '*', want: true },
    { header: 'identity', want: false },
  ];

  for (const { header, want } of rows) {
    it(`${want ? 'takes' : 'does not take'} gzip from Accept-Encoding: ${header}`, () => {
      expect(acceptsGzip(header)).to.equal(want);
    });
  }
});
