// Restricts some words to few files, so that what they access (time, random values, the environment, the network) can
// be replaced there.
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from './build-stamp.ts';

interface Home {
  word: RegExp;
  homes: string[];
  /** The rule applies to files whose paths begin with this; by default to all. */
  within?: string;
}

const homesOfWords: Home[] = [
  {
    word: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/,
    homes: ['src/server/clock.ts', 'src/device/timers.ts'],
  },
  // The last two need salts and nonces, which no test replaces.
  {
    word: /\brandomUUID\b|\brandomBytes\b/,
    homes: [
      'src/server/ids.ts',
      'src/server/secrets.ts',
      'src/device/random-id.ts',
      'src/server/http/signing.ts',
      'src/server/features/users/password-hasher.ts',
    ],
  },
  { word: /\bprocess\.env\b/, homes: ['src/server/env.ts'] },
  {
    word: /\b(local|session)Storage\b/,
    homes: ['src/app/platform/capabilities.ts', 'src/server/features/auth/providers/provider-routes.ts'],
  },
  {
    word: /\bfetch\(/,
    homes: [
      'src/app/platform/http/fetch-answer.ts',
      'src/app/platform/http/time-limit.ts',
      'src/app/playback/warm-bytes.ts',
      'src/app/features/feed/supply/cached-lists.ts',
      'src/app/state/saved/saved-calls.ts',
      'src/server/features/auth/providers/provider-account.ts',
      'src/server/features/site/newest-version.ts',
      'sw/first-videos.ts',
      'sw/cached-lists.ts',
      'src/server/storage/stores/store-transport.ts',
      'src/server/services/storage-check-command.ts',
      'sw/kept-files.ts',
      'sw/upload-calls.ts',
    ],
  },
  { word: /\bnavigator\.(?!language)/, homes: ['src/app/platform/*', 'src/device/uploads/upload-bytes.ts'] },
  {
    word: /\bsetTimeout\(/,
    homes: ['src/server/*', 'src/device/timers.ts', 'src/device/polyfills.ts', 'sw/first-videos.ts'],
  },
  // An exception in an interval would end the server; `repeat` catches it.
  { word: /\bsetInterval\b/, homes: ['src/device/timers.ts', 'src/server/repeat.ts'] },
  // Closing any descriptor of a SQLite file drops the locks of the whole process (decision 0016). So only the modules
  // of the database know its name and open files beside it.
  { word: /fourfold\.sqlite/, homes: ['src/server/folders.ts'] },
  {
    word: /\bdatabaseFileName\b/,
    homes: [
      'src/server/folders.ts',
      'src/server/database/database-address.ts',
      'src/server/storage/open-for-reading.ts',
    ],
  },
  {
    word: /\baddress\.file\b/,
    homes: [
      'src/server/database/connection.ts',
      'src/server/database/database-address.ts',
      'src/server/database/backup-database.ts',
    ],
  },
  {
    word: /\b(open|readFile|writeFile|appendFile|copyFile|cp|truncate|create(Read|Write)Stream)\b.*'node:fs|\b(open|read|write|append|copy|cp|truncate)(File)?Sync\(/,
    homes: ['src/server/database/sqlite-file.ts'],
    within: 'src/server/database/',
  },
  // The browser's offer to install the app has a method of this name.
  { word: /\b(alert|confirm|prompt)\(/, homes: ['src/app/state/install.ts'] },
  { word: /\b(inner|outer)HTML\b|dangerouslySetInnerHTML|\beval\(/, homes: [] },
];

/** Lists the restricted words in `source` as `line: word`. */
export function findStrayWords(file: string, source: string): string[] {
  const isIn = (home: string) => (home.endsWith('*') ? file.startsWith(home.slice(0, -1)) : file === home);
  const foreign = homesOfWords.filter(({ homes, within = '' }) => file.startsWith(within) && !homes.some(isIn));
  return source
    .split('\n')
    .flatMap((line, at) =>
      isComment(line)
        ? []
        : foreign.flatMap(({ word }) => word.exec(line)?.slice(0, 1) ?? []).map((word) => `${file}:${at + 1}: ${word}`),
    );
}

function isComment(line: string): boolean {
  return /^\s*(\/\/|\/?\*)/.test(line);
}

if (import.meta.main) {
  const strays: string[] = [];
  let files = 0;
  for await (const file of glob(['src/{app,server,device,contract}/**/*.{ts,tsx}', 'sw/**/*.ts'], {
    cwd: projectFolder,
  })) {
    files += 1;
    strays.push(...findStrayWords(file, await readFile(join(projectFolder, file), 'utf8')));
  }
  for (const stray of strays) console.error(`${stray} has its home elsewhere (src/scripts/check-homes.ts)`);
  console.log(`Homes: ${files} files read, ${strays.length} strays.`);
  process.exitCode = strays.length === 0 && files > 0 ? 0 : 1;
}
