import { appendFileSync } from 'node:fs';
import Mocha from 'mocha';

/**
 * Mocha reporter: dots for people, and one line of numbers for whoever sums suites.
 *
 * Appends `<passed> <failed> <skipped>` to the file named by SPEC_TOTALS when the suite ends; a hook that fails
 * counts as failed. Without SPEC_TOTALS only the dots remain.
 */
export default class TotalsReporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.SPEC_TOTALS;
    if (!file) return;
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      appendFileSync(file, `${passes} ${failures} ${pending}\n`);
    });
  }
}
