/** Ends a run with one plain line, and fails it in CI when a test was skipped: what did not run proves nothing. */
import type { Reporter, TestModule } from 'vitest/node';

export class NoSkipsReporter implements Reporter {
  /** @param isStrict whether a skipped test fails the run; off for a person who runs a part with `-t`. */
  constructor(private readonly isStrict: boolean = (process.env['CI'] ?? '') !== '') {}

  onTestRunEnd(testModules: readonly TestModule[]): void {
    const tests = testModules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const skipped = tests.filter((test) => ['skipped', 'pending'].includes(test.result().state));
    // A file that cannot be loaded has no tests to fail.
    const brokenFiles = testModules.filter((module) => module.errors().length > 0).length;
    const services = process.env['RANKCAST_TEST_SUMMARY'] ?? '';
    process.stdout.write(
      `${count('passed')} passed, ${count('failed') + brokenFiles} failed, ${skipped.length} skipped ${services}\n`,
    );
    if (!this.isStrict || skipped.length === 0) return;
    for (const test of skipped) process.stderr.write(`skipped: ${test.module.moduleId} > ${test.fullName}\n`);
    process.stderr.write('A skipped test fails CI: let it run, or remove it.\n');
    process.exitCode = 1;
  }
}
