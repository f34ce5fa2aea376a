import { expect, onTestFinished, test, vi } from 'vitest';
import {
  addAvi,
  derivedFiles,
  encodeJobs,
  startEncoding,
  untilEncoded,
  videoNamed,
} from '#tests/support/media/encoding-server.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const library = temporaryFolder(afterFile);
putVideos(library, 'often.mp4', 'seldom.mp4', 'light.mp4');
const server = await startEncoding(library, { DERIVED_GB: '1' }, afterFile);
const { encodings, database } = server.services;
const minute = 60_000;

/** As if the files had so many bits: what is chosen goes by that. */
async function setSource(name: string, kbps: number): Promise<number> {
  const { number, size } = await videoNamed(server, name);
  const facts = { duration_ms: Math.round((size * 8) / kbps), width: 3_840, height: 2_160 };
  await database.write((transaction) =>
    transaction.updateTable('videos').set(facts).where('number', '=', number).execute(),
  );
  return number;
}

test('what is picked most is encoded while nothing else is to be done, one after the other', async () => {
  const often = await setSource('often.mp4', 20_000);
  const seldom = await setSource('seldom.mp4', 20_000);
  const light = await setSource('light.mp4', 1_500);
  for (let pick = 0; pick < 9; pick += 1) {
    encodings.countPick(often);
    if (pick < 2) encodings.countPick(seldom);
    encodings.countPick(light);
  }
  expect(await encodeJobs(server)).toEqual([]);
  server.encoder.before = () => server.clock.pass(1_000);
  await encodings.tick();
  await untilEncoded(server);
  expect((await encodeJobs(server)).map((job) => [job.video_number, job.priority, job.state])).toEqual([
    [often, 200, 'done'],
    [seldom, 200, 'done'],
  ]);
  expect(server.encoder.orders).toEqual([
    ['grid', 'hd'],
    ['grid', 'hd'],
  ]);
});

test('picks count half after a day, and are forgotten in the end', async () => {
  const picks = async () =>
    (await database.reader.selectFrom('encoding_demand').select('picks').orderBy('picks', 'desc').execute()).map(
      (row) => row.picks,
    );
  expect(await picks()).toEqual([9, 9, 2]);
  server.clock.pass(24 * 60 * minute);
  await encodings.tick();
  expect(await picks()).toEqual([4, 4, 1]);
  for (let day = 0; day < 5; day += 1) {
    server.clock.pass(24 * 60 * minute);
    await encodings.tick();
  }
  expect(await picks()).toEqual([]);
});

test('clearing the cache frees encodings, cancels what waits in the background, and encodes nothing at once', async () => {
  server.clock.pass(60 * minute);
  const used = (await encodings.readOverview()).used_bytes;
  expect(used).toBeGreaterThan(0);
  const before = (await encodeJobs(server)).length;
  const reply = await server.call('POST', '/api/clear-cache');
  expect(reply.json().freed_bytes).toBeGreaterThanOrEqual(used);
  const overview = await encodings.readOverview();
  expect(overview).toMatchObject({ used_bytes: 0, videos: 0, waiting: 0, budget_bytes: 1e9, free_bytes: 1e12 });
  await encodings.tick();
  expect((await encodeJobs(server)).length).toBe(before);
});

test('administrators see what encodings take', async () => {
  const reply = await server.get('/api/admin/encodings');
  expect(reply.json()).toMatchObject({ encoder: 'copy', is_hardware: false, maps_tones: true, running: [] });
});

test('clearing the cache frees encodings on a full disk, which takes no row before their files are gone', async () => {
  await addAvi(server, 'old.avi');
  server.clock.pass(60 * minute);
  const { idSets } = server.services;
  const isFull = () => derivedFiles(server).some((name) => name.endsWith('.mp4'));
  expect(isFull()).toBe(true);
  const write = idSets.write.bind(idSets);
  const spy = vi.spyOn(idSets, 'write').mockImplementation(async (...work) => {
    if (isFull()) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    return write(...work);
  });
  onTestFinished(() => spy.mockRestore());
  expect((await server.call('POST', '/api/clear-cache')).statusCode).toBe(200);
  expect(await encodings.readOverview()).toMatchObject({ used_bytes: 0, videos: 0 });
});
