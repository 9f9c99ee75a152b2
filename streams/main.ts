import { keepNurserySmall } from '../lib/io/small-nursery.ts';
import { commandLine } from './wiring/command-line.ts';

keepNurserySmall();

const exitCode = await commandLine(process.argv.slice(2));
// What has been printed is out by then; what is still open of a start that failed must not keep the process.
process.stdout.write('', () => process.exit(exitCode));
