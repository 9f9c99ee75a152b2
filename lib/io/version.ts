import { readFileSync } from 'node:fs';

/** The version of this controller. The bundle has it written in; the source tree reads its own package.json. */
export const version: string = process.env.CONTROLLER_VERSION ?? ownVersion();

function ownVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return String(JSON.parse(readFileSync(file, 'utf8')).version);
}
