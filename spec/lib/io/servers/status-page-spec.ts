import { expect } from 'chai';
import { statusPage } from '../../../../lib/io/servers/status-page.ts';

describe('statusPage', () => {
  it('escapes every value', () => {
    const hostile = `<script>"&'`;
    const page = statusPage({
      checks: [{ name: hostile, ok: false, reason: hostile }],
      notes: [hostile],
      facts: { [hostile]: hostile },
    });
    expect(page).not.to.include('<script>');
    expect(page.split('&lt;script&gt;&quot;&amp;&#39;')).to.have.length(6);
  });

  it('says at once whether the controller is ready', () => {
    expect(statusPage({ checks: [], notes: [] })).to.include('<h1>Pipelines controller: ready</h1>');
    expect(statusPage({ checks: [{ name: 'a', ok: false }], notes: [] })).to.include('controller: not ready</h1>');
  });

  it('leaves out tables that would be empty', () => {
    const page = statusPage({ checks: [{ name: 'a', ok: true }], notes: [] });
    expect(page).to.include('<caption>Checks</caption>');
    expect(page).not.to.include('<caption>Notes</caption>');
  });

  it('loads nothing from elsewhere', () => {
    expect(statusPage({ checks: [], notes: [] })).not.to.match(/src=|https?:|@import|url\(/);
  });
});
