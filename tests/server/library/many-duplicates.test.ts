import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { duplicateListSchema } from '#contract/entities/duplicate.ts';
import { limits } from '#contract/limits.ts';
import { duplicateRepository } from '#server/features/admin/duplicate-repository.ts';
import { printRepository } from '#server/features/admin/print-repository.ts';
import { admin, jobTimes, untilIdle } from '#tests/support/media/poster-server.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { box, putFile, smallVideo } from '#tests/support/media/videos.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { isWholeSoak, soakSeed } from '#tests/support/soak.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { seededRandom } from '../../unit/server/id-sets/list-set.ts';

/** Every tenth file is a copy, and every tenth row looks like the one before it. */
const files = isWholeSoak ? 1_500 : 60;
const rows = isWholeSoak ? 20_000 : 1_000;
const every = 10;
const rowsTogether = 500;
/** Of what is alive at once beside the idle server. */
const mostBytes = 48 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function aliveBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function search(server: ServerUnderTest) {
  expect((await server.call('POST', '/api/admin/duplicates/search')).statusCode).toBe(202);
  await untilIdle(server);
  const reply = await server.get(`/api/admin/duplicates?limit=${limits.duplicatesPerPage}`);
  return duplicateListSchema.parse(reply.json());
}

/** Rows of videos of one size of picture, half of which have one length, with posters that were read before. */
async function storeLooks({ services }: ServerUnderTest): Promise<void> {
  const random = seededRandom(soakSeed);
  const hash = () =>
    random(2 ** 31)
      .toString(16)
      .padStart(8, '0') +
    random(2 ** 31)
      .toString(16)
      .padStart(8, '0');
  let [made, still] = [0, hash()];
  while (made < rows) {
    const count = Math.min(rowsTogether, rows - made);
    await services.idSets.write(async (transaction, changes) => {
      const stored = await storeVideos(transaction, changes, count, { reason: `many-${made}`, available: 1 });
      const found = await transaction.selectFrom('videos').select(['id', 'number']).where('id', 'in', stored).execute();
      const numbers = found.map(({ number }) => number).sort((one, other) => one - other);
      const prints = numbers.map((number, at) => {
        const isAlike = (made + at) % every === every - 1;
        if (!isAlike) still = hash();
        const poster = `poster-${number}`;
        return { video_number: number, size: 1, modified_us: 1, content: null, poster, still };
      });
      for (const [at, number] of numbers.entries()) {
        const pair = Math.floor((made + at) / every);
        await transaction
          .updateTable('videos')
          .set({ width: 320, height: 180, duration_ms: pair % 2 === 0 ? 60_000 : 70_000 + 1_000 * pair, reason: null })
          .where('number', '=', number)
          .execute();
      }
      await transaction.insertInto('video_prints').values(prints).execute();
      await transaction
        .insertInto('posters')
        .values(
          prints.map(({ video_number, size, modified_us, poster }) => ({
            ...{ video_number, size, modified_us, content: poster, reason: null, made_at: 1 },
          })),
        )
        .execute();
    });
    made += count;
  }
}

test('a large library is searched in steps that grow with it alone: copies are read once, and little is held at a time', {
  timeout: 1_800_000,
}, async () => {
  const folder = temporaryFolder();
  const film = readFileSync(smallVideo());
  for (let at = 0; at < files; at += 1) {
    const name = `film-${at}.mp4`;
    if (at % every === every - 1) copyFileSync(join(folder, `film-${at - 1}.mp4`), join(folder, name));
    else putFile(folder, name, Buffer.concat([film, box('uniq', String(at).padStart(8, '0'))]));
  }
  const overrides = { identifyCaller: async () => admin, jobTimes };
  const server = await startServer({ library: [folder], env: { FFMPEG_PATH: '/none' }, overrides });
  await storeLooks(server);
  const opened = vi.spyOn(server.services.sources, 'openScanned');
  collect();
  const idle = aliveBytes();
  let most = 0;
  const { listCompared } = printRepository;
  const compared = vi.spyOn(printRepository, 'listCompared').mockImplementation(async (executor, numbers) => {
    const found = await listCompared(executor, numbers);
    if (compared.mock.calls.length % 20 === 0) {
      collect();
      most = Math.max(most, aliveBytes() - idle);
    }
    return found;
  });
  const steps = [
    compared,
    ...(['listFingerprints', 'listLooks', 'putPrint'] as const).map((name) => vi.spyOn(printRepository, name)),
    ...(['findGroups', 'putGroup', 'deleteOthers'] as const).map((name) => vi.spyOn(duplicateRepository, name)),
  ];
  onTestFinished(() => void vi.restoreAllMocks());
  const copies = files / every;
  const pairs = rows / every;
  for (const isFirst of [true, false]) {
    for (const step of steps) step.mockClear();
    expect((await search(server)).total).toBe(copies + pairs);
    // Each file of which there is a copy is read once for good.
    expect(opened).toHaveBeenCalledTimes(2 * copies);
    // Pages of rows, a step for each pair of copies and of alike ones, and what is stored of copies that were read.
    const taken = steps.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    const pages = 4 + Math.ceil((2 * (files + rows)) / 2_000) + Math.ceil((2 * (files + rows)) / 100);
    expect(taken).toBeLessThanOrEqual(pages + 2 * copies + pairs + (isFirst ? 2 * copies : 0));
    for (const [, numbers] of compared.mock.calls) expect(numbers.length).toBeLessThanOrEqual(101);
  }
  expect(most).toBeLessThan(mostBytes);
});
