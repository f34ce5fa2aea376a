import { linkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test, vi } from 'vitest';
import { pickReplySchema } from '#contract/entities/feed.ts';
import { watchedListSchema } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { openDatabase } from '#server/database/connection.ts';
import type { Executor } from '#server/database/tables.ts';
import { databaseFileName } from '#server/folders.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import type { Person } from '#tests/support/people.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerProcess } from '#tests/support/processes/server-process.ts';
import { environmentWith, runServer } from '#tests/support/processes/server-process.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { isWholeSoak } from '#tests/support/soak.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

/** The videos of the library, each of two browsers shows half of them; and after how many the server is killed. */
const { videos, killEvery } = isWholeSoak ? { videos: 500, killEvery: 100 } : { videos: 40, killEvery: 28 };
const half = videos / 2;
/** The last videos of its own that a quadrant avoids. */
const recent = 10;

/** A browser with four quadrants: each has one video prepared, and avoids what the app avoids. */
class Browser {
  readonly shown: string[] = [];
  private readonly cookie: string;
  private readonly person: Person;
  private readonly prepared = new Map<number, string>();
  private readonly shownIn = quadrants.map((): string[] => []);
  private told: string[] = [];

  constructor(name: string, person: Person) {
    this.cookie = `viewer=${name.padEnd(16, 'x')}`;
    this.person = person;
  }

  /** Prepares the first videos of all quadrants. */
  async open(address: string): Promise<void> {
    for (const at of quadrants.keys()) await this.prepare(address, at);
  }

  /** Shows the next quadrant's prepared video, prepares another one, and reports what was shown, as the app does. */
  async show(address: string): Promise<void> {
    const at = this.shown.length % quadrants.length;
    const id = this.prepared.get(at);
    if (id === undefined) throw new Error('nothing is prepared');
    this.shown.push(id);
    this.shownIn[at]?.push(id);
    await this.prepare(address, at);
    const ids = [...this.told, id];
    const answer = await this.call(address, '/api/watched', { method: 'POST', body: JSON.stringify({ ids }) });
    expect(answer.status).toBe(204);
    this.told = ids.slice(-limits.watchedReportedAgain);
  }

  async countUnseen(address: string): Promise<number> {
    const answer = await this.call(address, '/api/video/top-left');
    return (pickReplySchema.parse(await answer.json()) as { unseen?: number }).unseen ?? -1;
  }

  async listWatched(address: string): Promise<string[]> {
    const listed: string[] = [];
    for (let page = 1; ; page += 1) {
      const answer = await this.call(address, `/api/watched?page=${page}&limit=100`);
      const { watched, total_pages } = watchedListSchema.parse(await answer.json());
      listed.push(...watched.map(({ video }) => video.id));
      if (page >= total_pages) return listed.reverse();
    }
  }

  private async prepare(address: string, at: number): Promise<void> {
    this.prepared.delete(at);
    const others = this.shownIn.flatMap((own, other) => (other === at ? [] : own.slice(-1)));
    const own = this.shownIn[at]?.slice(-recent) ?? [];
    const exclude = [...new Set([...others, ...this.prepared.values(), ...own, ...this.told])];
    const answer = await this.call(address, `/api/video/${quadrants[at]}?exclude=${exclude.join()}`);
    const reply = pickReplySchema.parse(await answer.json());
    if (!reply.available) throw new Error(reply.message);
    this.prepared.set(at, reply.id);
  }

  private call(address: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...this.person.headers, cookie: this.cookie, 'content-type': 'application/json' };
    return fetch(`${address}${path}`, { ...init, headers });
  }
}

/** A site with its library in folders, somebody who watches, and a look into its database. */
async function openSite(): Promise<{ env: Record<string, string>; ada: Person; waitUntilWritten: WaitUntilWritten }> {
  const library = temporaryFolder();
  putVideos(library, 'video-0.mp4');
  for (let index = 1; index < videos; index += 1)
    linkSync(join(library, 'video-0.mp4'), join(library, `video-${index}.mp4`));
  const env = await environmentWith(library, { FFMPEG_PATH: '/none' });
  const ends: (() => Promise<void> | void)[] = [];
  const server = await startServer({ env }, (end) => ends.unshift(end));
  await server.services.scanner.request();
  const ada = await putPerson(server, 'ada');
  for (const end of ends) await end();
  const url = 'DATABASE_URL' in env ? env.DATABASE_URL : undefined;
  return { env, ada, waitUntilWritten: watchLog(url, env.DATA_DIR) };
}

type WaitUntilWritten = (entries: number) => Promise<void>;

/** Waits until a log in the database has so many entries. */
function watchLog(url: string | undefined, folder: string): WaitUntilWritten {
  const file = join(folder, databaseFileName);
  const count = async (reader: Executor) =>
    (await reader.selectFrom('watched_owners').select('entries').executeTakeFirst())?.entries ?? 0;
  return async (entries) => {
    const database = openDatabase(url === undefined ? { kind: 'sqlite', file } : { kind: 'postgres', url });
    await vi.waitUntil(async () => (await count(database.reader)) >= entries, { interval: 50 });
    await database.close();
  };
}

test('two browsers of one person show each video once, whenever the server is killed and started again', async () => {
  const { env, ada, waitUntilWritten } = await openSite();
  let server: ServerProcess = runServer(env);
  let address = await server.address();
  const [phone, desk] = [new Browser('phone', ada), new Browser('desk', ada)];
  for (const browser of [phone, desk]) {
    await browser.open(address);
    while (browser.shown.length < half) {
      await browser.show(address);
      const shown = phone.shown.length + desk.shown.length;
      if (shown === videos) break;
      // The next report makes up for eight videos. Those of a browser that is put away have to be written.
      if (shown === half || shown % killEvery === killEvery - limits.watchedReportedAgain)
        await waitUntilWritten(shown);
      if (shown % killEvery > 0) continue;
      server.kill('SIGKILL');
      await server.ended();
      server = runServer(env);
      address = await server.address();
    }
  }
  const shown = [...phone.shown, ...desk.shown];
  expect([shown.length, new Set(shown).size]).toEqual([videos, videos]);
  expect(await desk.listWatched(address)).toEqual(shown);
});

test.skipIf(inject('database').kind === 'sqlite')(
  'two browsers of one person on two servers of a site show each video once',
  async () => {
    const { env, ada, waitUntilWritten } = await openSite();
    const [one, other] = await Promise.all([runServer(env), runServer(env)].map((server) => server.address()));
    const [phone, desk] = [new Browser('phone', ada), new Browser('desk', ada)];
    // The other server has met the person before, and has to read what is new.
    expect(await desk.countUnseen(other ?? '')).toBe(videos);
    await phone.open(one ?? '');
    while (phone.shown.length < half) await phone.show(one ?? '');
    await waitUntilWritten(half);
    await vi.waitUntil(async () => (await desk.countUnseen(other ?? '')) === half, { interval: 100 });
    await desk.open(other ?? '');
    while (desk.shown.length < half) await desk.show(other ?? '');
    const shown = [...phone.shown, ...desk.shown];
    expect([shown.length, new Set(shown).size]).toEqual([videos, videos]);
    await waitUntilWritten(videos);
    expect(await desk.listWatched(other ?? '')).toEqual(shown);
  },
);
