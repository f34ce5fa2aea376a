import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import {
  derivedFiles,
  encodeJobs,
  putAvi,
  rowsOf,
  startEncoding,
  untilEncoded,
  videoNamed,
} from '#tests/support/media/encoding-server.ts';
import type { EncodingRun } from '#tests/support/processes/encoding-server.ts';
import { soakCases } from '#tests/support/soak.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const script = fileURLToPath(new URL('../../support/processes/encoding-server.ts', import.meta.url));

async function encodeUntilKilled(run: EncodingRun): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [script, JSON.stringify(run)], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [, signal] = await once(child, 'exit');
  return signal;
}

const pairs: EncodingRun['kill'][][] = [
  [
    { call: 'encode', count: 1, when: 'before' },
    { call: 'rename', count: 1, when: 'after' },
  ],
  [
    { call: 'rename', count: 2, when: 'before' },
    { call: 'rename', count: 4, when: 'after' },
  ],
  [
    { call: 'commit', count: 1, when: 'before' },
    { call: 'commit', count: 1, when: 'after' },
  ],
];

test.each(soakCases(pairs, 3))(
  'servers that are killed at %j and %j: the next one makes the encoding, and leaves nothing else',
  async (...kills) => {
    const folder = temporaryFolder();
    putAvi(folder, 'film.avi');
    const original = readFileSync(join(folder, 'film.avi'));
    const place = await migratedSite();
    const env = { ...place, LIBRARY_DIRS: folder };
    for (const kill of kills) expect(await encodeUntilKilled({ env, kill })).toBe('SIGKILL');

    const server = await startEncoding(folder, place);
    await createWorkFolders(join(place.DATA_DIR, 'work'), server.clock).sweep();
    // The lease of the process that is gone ends, and what it left gets old.
    server.clock.pass(3 * 3_600_000);
    await untilEncoded(server);
    await server.services.encodings.tick();
    const video = await videoNamed(server, 'film.avi');
    expect(video.available).toBe(1);
    expect((await encodeJobs(server)).map(({ state }) => state)).toEqual(['done']);
    const rows = await rowsOf(server, video.number);
    expect(rows.map(({ rendition }) => rendition)).toEqual(['grid', 'hd']);
    const { jobs, database } = server.services;
    await expect.poll(() => jobs.isActive('encoding-clean-up', 'all')).toBe(false);
    const { reader } = database;
    const [sheet, track] = [
      await reader.selectFrom('storyboards').select('content').executeTakeFirstOrThrow(),
      await reader.selectFrom('subtitles').select('content').executeTakeFirstOrThrow(),
    ];
    const stored = [...rows.map(({ content }) => `${content}.mp4`), `${sheet.content}.webp`, `${track.content}.vtt`];
    expect([derivedFiles(server), readdirSync(join(place.DATA_DIR, 'work'))]).toEqual([stored.sort(), []]);
    expect(readFileSync(join(folder, 'film.avi')).equals(original)).toBe(true);
  },
);
