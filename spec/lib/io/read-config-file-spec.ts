import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfigFile } from '../../../lib/io/read-config-file.ts';

describe('readConfigFile', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'read-config-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('gives the text', () => {
    const file = join(folder, 'a.yaml');
    writeFileSync(file, 'sink: http://sink/ä\n');
    expect(readConfigFile(file)).to.equal('sink: http://sink/ä\n');
  });

  it('says in one sentence what is wrong with the file', () => {
    const [missing, binary, huge] = ['missing', 'binary', 'huge'].map((name) => join(folder, name));
    writeFileSync(binary ?? '', Buffer.from([0xff, 0xfe]));
    writeFileSync(huge ?? '', '');
    truncateSync(huge ?? '', 16 * 2 ** 20 + 1);
    const messages = [missing, folder, binary, huge, 'a\0b'].map((path) => {
      try {
        return readConfigFile(path ?? '');
      } catch (error) {
        return error instanceof Error ? error.message : error;
      }
    });
    expect(messages).to.deep.equal([
      `${missing}: cannot be read, there is no such file`,
      `${folder}: cannot be read, it is a directory`,
      `${binary}: expected UTF-8 text, got other bytes`,
      `${huge}: expected at most 16 MiB, got 16777217 bytes`,
      'a\0b: cannot be read, ERR_INVALID_ARG_VALUE',
    ]);
  });
});
