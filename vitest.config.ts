import { defineConfig } from 'vitest/config';
import { NoSkipsReporter } from './test/stack/no-skips-reporter.js';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/stack/vitest-setup.ts'],
    reporters: ['default', new NoSkipsReporter()],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: more workers than that only make timings worse.
    maxWorkers: 2,
  },
});
