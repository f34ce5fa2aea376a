import { expect, test } from 'vitest';
import { findStrayWords } from '#scripts/check-homes.ts';

test.each([
  ['src/app/features/feed/feed-store.ts', 'const now = Date.now();'],
  ['src/server/features/feed/pick.ts', 'if (new Date() > end) return;'],
  ['src/server/database/connection.ts', 'open(process.env.HOME)'],
  ['src/app/state/session.ts', "localStorage.getItem('a')"],
  ['src/app/features/feed/supply/next-video.ts', "await fetch('/api/status')"],
  ['src/app/features/upload/upload-store.ts', "window.confirm('Really?')"],
  ['src/app/ui/markdown.tsx', '<p dangerouslySetInnerHTML={{ __html }} />'],
  ['src/app/state/connection.ts', 'if (navigator.onLine) return'],
  ['src/server/jobs/runner.ts', 'timer = setInterval(wake, 2_000)'],
  ['src/server/id-sets/id-sets.ts', "import { setInterval as every } from 'node:timers';"],
  ['src/server/features/site/status.ts', "statSync(join(env.dataFolder, 'fourfold.sqlite'))"],
  ['src/server/features/library/scan/library-thread.ts', 'copyFileSync(address.file, backup)'],
  ['src/server/features/site/cache.ts', 'await open(join(env.dataFolder, databaseFileName))'],
  ['src/server/database/sqlite-watch.ts', "const descriptor = openSync(log, 'r');"],
  ['src/server/database/damage.ts', "import { copyFile } from 'node:fs/promises';"],
])('%s may not say %s', (file, line) => {
  expect(findStrayWords(file, `first\n${line}`)).toEqual([expect.stringContaining(`${file}:2: `)]);
});

test.each([
  ['src/server/clock.ts', 'export const now = () => Date.now();'],
  ['src/app/platform/http/fetch-answer.ts', 'await fetch(address)'],
  ['src/app/platform/capabilities.ts', 'return window.localStorage'],
  ['src/server/database/sqlite-file.ts', "openSync(temporary, 'w', 0o600)"],
  ['src/server/storage/open-for-reading.ts', 'await open(file, constants.O_RDONLY)'],
  ['src/app/state/connection.ts', '// never by navigator.onLine alone'],
])('%s is the home of %s', (file, line) => {
  expect(findStrayWords(file, line)).toEqual([]);
});
