import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Trespass } from '#scripts/check-boundaries.ts';
import { findTrespasses } from '#scripts/check-boundaries.ts';

const projectFolder = join(import.meta.dirname, '..', '..', '..');
const { forbidden } = createRequire(import.meta.url)('../../../.dependency-cruiser.cjs') as {
  forbidden: { name: string }[];
};

/** One planted trespass: the file that goes against the arrow, what it holds, and the rule that must notice. */
const planted: [rule: string, file: string, source: string][] = [
  ['no-circles', 'src/server/media/egg.ts', "import './hen.ts'; export const egg = 1;"],
  ['contract-stands-alone', 'src/contract/rules/borrowed.ts', "import '../../server/clock.ts';"],
  ['contract-stands-alone', 'src/contract/rules/on-node.ts', "import 'node:fs';"],
  ['contract-stands-alone', 'src/contract/rules/on-package.ts', "import 'valtio';"],
  [
    'entities-are-types-in-the-browser',
    'src/app/state/schema-in-browser.ts',
    "import { userSchema } from '#contract/entities/user.ts'; export const s = userSchema;",
  ],
  [
    'entities-are-types-in-the-browser',
    'src/app/state/zod-in-browser.ts',
    "import { z } from 'zod'; export const s = z;",
  ],
  [
    'entities-are-types-in-the-browser',
    'src/contract/rules/schema-in-rule.ts',
    "import { userSchema } from '../entities/user.ts'; export const s = userSchema;",
  ],
  ['worker-shares-only-device-and-contract', 'sw/reaches-app.ts', "import '#app/platform/floor.ts';"],
  ['worker-shares-only-device-and-contract', 'src/device/reaches-app.ts', "import '#app/platform/floor.ts';"],
  ['app-never-touches-server', 'src/app/platform/reaches-server.ts', "import '#server/clock.ts';"],
  ['app-never-touches-server', 'src/app/platform/reaches-node.ts', "import 'node:fs';"],
  ['app-never-touches-server', 'src/server/reaches-app.ts', "import '#app/platform/floor.ts';"],
  ['features-do-not-know-each-other', 'src/app/features/feed/knows-upload.ts', "import '../upload/upload-store.ts';"],
  ['features-do-not-know-each-other', 'src/server/features/tags/knows-library.ts', "import '../library/library.ts';"],
  ['floors-import-to-the-left', 'src/app/platform/knows-state.ts', "import '../state/floor.ts';"],
  ['floors-import-to-the-left', 'src/app/ui/knows-state.ts', "import '../state/floor.ts';"],
  ['floors-import-to-the-left', 'src/app/state/knows-feature.ts', "import '../features/upload/upload-store.ts';"],
  ['floors-import-to-the-left', 'src/app/features/feed/knows-shell.ts', "import '../../shell/floor.ts';"],
  ['floors-import-to-the-left', 'src/server/ids.ts', "import './database/floor.ts';"],
  ['floors-import-to-the-left', 'src/server/http/knows-feature.ts', "import '../features/library/library.ts';"],
  ['floors-import-to-the-left', 'src/server/backup/knows-feature.ts', "import '../features/library/library.ts';"],
  ['floors-import-to-the-left', 'src/server/services/library-services.ts', "import './services.ts';"],
  ['routes-only-from-app', 'src/server/services/services.ts', "import '../features/library/library-routes.ts';"],
  [
    'sql-only-in-repositories',
    'src/server/features/library/asks-itself.ts',
    "import { sql } from 'kysely'; export const q = sql;",
  ],
  ['nothing-imports-tests', 'src/server/media/leans-on-test.ts', "import '#tests/support/floor.ts';"],
  ['nothing-unresolved', 'src/server/media/leads-nowhere.ts', "import './gone.ts';"],
  ['no-orphans', 'src/server/media/forgotten.ts', 'export const forgotten = 1;'],
];

/** Honest files that the planted ones lean on, and neighbours that keep every rule and must pass unnoticed. */
const honest: [file: string, source: string][] = [
  ['src/server/media/hen.ts', "import './egg.ts'; export const hen = 1;"],
  ['src/server/clock.ts', 'export const clock = 1;'],
  ['src/server/database/floor.ts', 'export const floor = 1;'],
  ['src/app/platform/floor.ts', 'export const floor = 1;'],
  ['src/app/state/floor.ts', "import '../platform/floor.ts'; export const floor = 1;"],
  ['src/app/shell/floor.ts', "import '../features/upload/upload-store.ts'; export const floor = 1;"],
  [
    'src/app/features/upload/upload-store.ts',
    "import type { User } from '#contract/entities/user.ts'; import '../../state/floor.ts'; export const user: User | null = null;",
  ],
  [
    'src/server/features/library/library.ts',
    "import { repository } from './library-repository.ts'; export const library = repository;",
  ],
  [
    'src/server/features/library/library-repository.ts',
    "import { sql } from 'kysely'; import '../videos/videos.ts'; export const repository = sql;",
  ],
  ['src/server/features/library/library-routes.ts', "import './library.ts'; export const routes = 1;"],
  [
    'src/server/features/videos/videos.ts',
    "import type { Kysely } from 'kysely'; import '../tags/tags.ts'; export const db: Kysely<unknown> | null = null;",
  ],
  ['src/server/features/tags/tags.ts', "import '../../clock.ts'; export const tags = 1;"],
  ['src/server/app.ts', "import './features/library/library-routes.ts'; export const app = 1;"],
  [
    'src/contract/entities/user.ts',
    "import { z } from 'zod'; export const userSchema = z.object({}); export type User = z.infer<typeof userSchema>;",
  ],
  ['tests/support/floor.ts', 'export const floor = 1;'],
];

let folder: string;
let found: Trespass[];

beforeAll(async () => {
  // Inside the project, so that packages resolve as they do for the house itself.
  mkdirSync(join(projectFolder, '.build'), { recursive: true });
  folder = mkdtempSync(join(projectFolder, '.build', 'planted-'));
  const { imports } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8'));
  const files: [string, string][] = [
    ['package.json', JSON.stringify({ type: 'module', imports })],
    ...honest,
    ...planted.map(([, file, source]): [string, string] => [file, source]),
  ];
  for (const [file, source] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), source);
  }
  found = (await findTrespasses(folder)).trespasses;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(planted)('%s refuses %s', (rule, file) => {
  expect(found.filter(({ from }) => from === file).map((trespass) => trespass.rule)).toContain(rule);
});

test('every rule of the house has a planted trespass', () => {
  expect([...new Set(planted.map(([rule]) => rule))].sort()).toEqual(
    [...new Set(forbidden.map(({ name }) => name))].sort(),
  );
});

test.each(honest.filter(([file]) => file.startsWith('src/')))('%s keeps the rules and passes unnoticed', (file) => {
  expect(found.filter(({ from }) => from === file)).toEqual([]);
});
