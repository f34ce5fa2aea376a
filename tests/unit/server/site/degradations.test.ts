import { expect, test } from 'vitest';
import type { BackupState } from '#contract/entities/site.ts';
import { degradationSchema } from '#contract/entities/site.ts';
import type { SiteState } from '#server/features/site/degradations.ts';
import { findDegradations } from '#server/features/site/degradations.ts';

const gibibyte = 1024 ** 3;
const now = Date.parse('2026-11-22T12:00:00Z');
const whole: SiteState = {
  database: 'sound',
  replicaFault: null,
  disk: { free: 50 * gibibyte, total: 100 * gibibyte },
  dataFolder: '/data',
  store: null,
  missingFolders: [],
  ffmpeg: '/usr/bin/ffmpeg',
  confinement: { kind: 'landlock' },
  isRoot: false,
  backup: { folder: null, next_at: null, latest: null, failure: null, left_out: [] },
  now,
};

function backup(more: Partial<BackupState>): Partial<SiteState> {
  return { backup: { ...whole.backup, folder: '/backups', ...more } };
}

const stored = (at: string) => ({ at, file: '/backups/a', bytes: 1 });

test('a site that has everything does without nothing', () => {
  expect(findDegradations(whole)).toEqual([]);
  expect(findDegradations({ ...whole, disk: null })).toEqual([]);
});

test.each([
  ['a damaged database', { database: 'damaged' }, /damaged or gone/, /restore a backup/],
  ['a database that can only be read', { database: 'read-only' }, /only be read/, /write to it/],
  ['a database without room', { database: 'full' }, /is full/, /Make room/],
  ['a database that is away', { database: 'away' }, /does not answer/, /Start it/],
  ['less than a gibibyte', { disk: { free: 0.9 * gibibyte, total: 10 * gibibyte } }, /0\.9 GiB are free/, /DATA_DIR/],
  ['less than a twentieth', { disk: { free: 4.9 * gibibyte, total: 100 * gibibyte } }, /4\.9 GiB are free/, /DATA_DIR/],
  [
    'a store that is away',
    { missingFolders: ['s3://s3.example.org/films'] },
    /films cannot be read/,
    /each time later/,
  ],
  ['a folder that is away', { missingFolders: ['/mnt/a'] }, /\/mnt\/a cannot be read/, /half minute/],
  ['no ffmpeg', { ffmpeg: null }, /no posters/, /FFMPEG_PATH/],
  ['no sandbox', { confinement: { kind: 'none', isolation: [] } }, /could reach the network/, /bubblewrap/],
  ['no sandbox, no network', { confinement: { kind: 'none', isolation: ['unshare'] } }, /has no network/, /Landlock/],
  ['the user root', { isRoot: true }, /runs as root/, /README/],
  ['a failed backup', backup({ failure: { at: '2026-11-22T03:00:00Z', message: 'No room.' } }), /No room\./, /room/],
  ['an old backup', backup({ latest: stored('2026-11-20T11:59:00Z') }), /two days/, /npm run backup/],
] as [string, Partial<SiteState>, RegExp, RegExp][])('%s is told with how to mend it', (_, state, problem, mend) => {
  const found = findDegradations({ ...whole, ...state });
  expect(found).toEqual([{ problem: expect.stringMatching(problem), mend: expect.stringMatching(mend) }]);
  expect(degradationSchema.parse(found[0])).toEqual(found[0]);
});

test('backups that are not wanted, not yet made, or of yesterday are no matter', () => {
  for (const state of [backup({}), backup({ latest: stored('2026-11-21T03:00:00Z') })])
    expect(findDegradations({ ...whole, ...state })).toEqual([]);
});

test('the worst comes first', () => {
  const found = findDegradations({ ...whole, database: 'damaged', missingFolders: ['/a', '/b'], isRoot: true });
  expect(found.map(({ problem }) => problem.slice(0, 12))).toEqual([
    'The database',
    'The library ',
    'The library ',
    'The server r',
  ]);
});
