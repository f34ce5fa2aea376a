import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { canRunPackagedBrowsers, findChromium } from '#tests/support/chromium.ts';

const chromium = await findChromium();

/**
 * A browser that does only what the test asks: no updates, no sync, no first-run pages, no sandbox that root could not
 * have.
 */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--disable-extensions',
  '--disable-component-update',
  '--disable-background-networking',
  '--no-default-browser-check',
  '--no-first-run',
  '--mute-audio',
  // The name of a plain-http address in the local network, which is no secure context.
  '--host-resolver-rules=MAP fourfold.lan 127.0.0.1',
];

const desktop = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
const tv = { viewport: { width: 1920, height: 1080 } };

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.test.ts',
  outputDir: '../.build/e2e',
  globalSetup: './e2e/run.setup.ts',
  reporter: [['list'], ['json', { outputFile: '../.build/reports/e2e.json' }]],
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  // A journey waits for almost half of its time, so one worker more than cores keeps the cores busy.
  workers: availableParallelism() + 1,
  // Nets for what hangs, never a statement about speed: a machine may be slow, or busy with something else.
  timeout: 600_000,
  expect: { timeout: 90_000, toPass: { intervals: [100] } },
  use: {
    browserName: 'chromium',
    launchOptions: {
      executablePath: chromium.path,
      args,
      env: { ...process.env, ...chromium.environment } as Record<string, string>,
    },
    screenshot: 'only-on-failure',
    trace: 'off',
  },
  // The project with the most files is the last one, so that the workers end together.
  projects: [
    { name: 'tv', testMatch: '**/tv/**/*.test.ts', use: tv },
    { name: 'phone', testMatch: '**/phone/**/*.test.ts', use: phone },
    { name: 'desktop', testIgnore: ['**/phone/**', '**/tv/**', '**/old-chromium/**', '**/soak/**'], use: desktop },
    // `npm run soak` runs it.
    { name: 'soak', testMatch: '**/soak/**/*.test.ts', use: desktop },
    // It exists for x64 Linux alone; `run.setup.ts` says so elsewhere.
    ...(canRunPackagedBrowsers
      ? [{ name: 'old-chromium', testMatch: '**/old-chromium/**/*.test.ts', outputDir: '../.build/e2e/old-chromium' }]
      : []),
  ],
});
