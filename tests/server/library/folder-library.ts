import { expect } from 'vitest';
import { readTag } from '#server/features/tags/tag-repository.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { differences, readTruth } from '../id-sets/id-sets-library.ts';

/** A server whose library has files of these paths. */
export async function startWith(...names: string[]) {
  const folder = temporaryFolder();
  putVideos(folder, ...names);
  return { folder, server: await startServer({ library: [folder] }) };
}

export const scan = (server: ServerUnderTest) => server.services.scanner.request();

/** The videos of each active tag by their paths; `!` stands behind those that people have put it on. */
export async function channelsOf({ services }: ServerUnderTest): Promise<Record<string, string[]>> {
  const { reader } = services.database;
  const tags = await reader.selectFrom('tags').select(['number', 'name']).where('active', '=', 1).execute();
  const links = await reader
    .selectFrom('video_tags')
    .innerJoin('videos', 'videos.number', 'video_tags.video_number')
    .select(['tag_number', 'path', 'by_folder'])
    .execute();
  const pathsOf = (number: number) =>
    links
      .filter(({ tag_number }) => tag_number === number)
      .map(({ path, by_folder }) => (by_folder === 1 ? path : `${path}!`))
      .sort();
  return Object.fromEntries(tags.map(({ number, name }) => [name, pathsOf(number)]));
}

/** The sets in memory hold what the tables say. */
export async function expectSetsToAgree({ services }: ServerUnderTest): Promise<void> {
  await services.idSets.catchUp();
  expect(differences(services.idSets, await readTruth(services.database))).toEqual([]);
}

export async function tagNumberOf({ services }: ServerUnderTest, name: string): Promise<number> {
  const row = await services.database.reader
    .selectFrom('tags')
    .select('id')
    .where('name', '=', name)
    .orderBy('active', 'desc')
    .executeTakeFirstOrThrow();
  return (await readTag(services.database.reader, row.id))?.number ?? 0;
}

export async function videoNumberOf({ services }: ServerUnderTest, path: string): Promise<number> {
  const row = await services.database.reader
    .selectFrom('videos')
    .select('number')
    .where('path', '=', path)
    .executeTakeFirstOrThrow();
  return row.number;
}
