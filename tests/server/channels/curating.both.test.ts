import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import { importTagFile } from '#server/features/tag-transfer/tag-files.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { addVideos, differences, readTruth } from '../id-sets/id-sets-library.ts';
import { CuratedLibrary } from './curated-library.ts';

const server = await startServer({ overrides: { jobTimes: { poll: 5 } } }, afterFile);
const { idSets, database } = server.services;
const keeper = await putPerson(server, 'keeper', 'admin');
const { headers } = keeper;
const videoCount = 5;
const tagCount = 6;

const tag = fc.nat(tagCount - 1);
const video = fc.nat(videoCount - 1);
/** Names are few, so that they meet. */
const name = fc.constantFrom('ash', 'elm', 'fir', 'oak', 'yew', 'box');
const act = fc.oneof(
  { weight: 2, arbitrary: fc.record({ act: fc.constant('create' as const), name }) },
  { weight: 5, arbitrary: fc.record({ act: fc.constant('put' as const), tag, video }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('take' as const), tag, video }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('alias' as const), tag, name }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('import' as const), name, video }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('remove' as const), tag }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('merge' as const), tag, into: tag }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('undo' as const), change: fc.nat(20) }) },
);
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

let rounds = 0;

/** One site for all rounds: each has tags, videos and names of its own. */
class Round {
  readonly model = new CuratedLibrary();
  private readonly prefix: string;
  private readonly tagIds: string[] = [];
  private readonly changeIds: string[] = [];
  private readonly paths: readonly string[];
  readonly videos: readonly number[];

  constructor(videos: readonly { number: number; path: string }[]) {
    rounds += 1;
    this.prefix = `${rounds}-`;
    this.videos = videos.map(({ number }) => number);
    this.paths = videos.map(({ path }) => path);
  }

  static async start(): Promise<Round> {
    const numbers = await idSets.write((transaction, changes) => addVideos(transaction, changes, videoCount));
    const rows = database.reader.selectFrom('videos').select(['number', 'path']).where('number', 'in', numbers);
    return new Round(await rows.orderBy('number').execute());
  }

  /** Both do it, or neither. What is named is one of those that are there. */
  async run(wanted: Act): Promise<void> {
    const done = { ...wanted };
    if ('tag' in done) done.tag %= this.tagIds.length;
    if ('into' in done) done.into = (done.tag + 1 + (done.into % (this.tagIds.length - 1))) % this.tagIds.length;
    if ('change' in done) done.change %= Math.max(1, this.changeIds.length);
    const [isExpected, isDone] = await this.runBoth(done);
    expect([done, isDone]).toEqual([done, isExpected]);
    await this.untilIdle();
  }

  private async runBoth(done: Act): Promise<[boolean, boolean]> {
    const { model } = this;
    if (done.act === 'create') {
      const reply = await this.call('POST', '/api/tags', { name: this.prefix + done.name });
      if (reply.statusCode < 300) this.tagIds.push(reply.json().tag.id);
      return [model.create(done.name), reply.statusCode < 300];
    }
    if (done.act === 'undo') {
      const id = this.changeIds[done.change] ?? 'none';
      return [model.undo(done.change), await this.isDone('POST', `/api/admin/tags/changes/${id}/undo`)];
    }
    if (done.act === 'import') return this.import(done);
    const id = this.tagIds[done.tag] ?? 'none';
    if (done.act === 'alias') return this.alias(done, id);
    if (done.act === 'remove') return [model.remove(done.tag), await this.change('DELETE', `/api/tags/${id}`)];
    if (done.act === 'merge') {
      const into = this.tagIds[done.into] ?? 'none';
      return [model.merge(done.tag, done.into), await this.change('POST', `/api/tags/${id}/merge`, { into })];
    }
    const url = `/api/videos/${this.paths[done.video]}/tags`;
    return done.act === 'put'
      ? [model.put(done.tag, done.video), await this.isDone('POST', url, { tag_ids: [id] })]
      : [model.take(done.tag, done.video), await this.isDone('DELETE', `${url}/${id}`)];
  }

  private async alias(done: { tag: number; name: string }, id: string): Promise<[boolean, boolean]> {
    const { model, prefix } = this;
    if (model.tags[done.tag]?.name === done.name) return [true, true];
    const aliases = [...model.aliasesOf(done.tag), done.name].map((each) => prefix + each);
    return [model.alias(done.tag, done.name), await this.isDone('PUT', `/api/tags/${id}/aliases`, { aliases })];
  }

  /** A file with one link, whose tag is created where nobody has the name. */
  private async import(done: { name: string; video: number }): Promise<[boolean, boolean]> {
    const name = this.prefix + done.name;
    const text = `tag,path\n${name},${this.paths[done.video]}\n`;
    // Not as a call: so many files at once are more than one person may send.
    const { failed_count } = await importTagFile(
      server.services,
      { filename: 'one.csv', format: 'csv', text, dry_run: false },
      keeper.id,
    );
    await this.untilIdle();
    if (this.model.import(done.name, done.video)) {
      const created = database.reader.selectFrom('tags').select('id').where('name', '=', name).where('active', '=', 1);
      this.tagIds.push((await created.executeTakeFirstOrThrow()).id);
    }
    return [true, failed_count === 0];
  }

  private async change(method: 'POST' | 'DELETE', url: string, payload?: object): Promise<boolean> {
    const isDone = await this.isDone(method, url, payload);
    const latest = database.reader.selectFrom('tag_changes').select('id').orderBy('number', 'desc').limit(1);
    if (isDone) this.changeIds.push((await latest.executeTakeFirstOrThrow()).id);
    return isDone;
  }

  private async isDone(method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object): Promise<boolean> {
    const { statusCode } = await this.call(method, url, payload);
    expect(statusCode).toBeLessThan(500);
    expect(statusCode).not.toBe(429);
    return statusCode < 300;
  }

  private call(method: 'POST' | 'PUT' | 'DELETE', url: string, payload: object = {}) {
    return server.call(method, url, { headers, payload });
  }

  private async untilIdle(): Promise<void> {
    const active = database.reader.selectFrom('jobs').select('kind').where('active_key', 'is not', null);
    await vi.waitFor(async () => expect(await active.execute()).toEqual([]), { interval: 2 });
  }

  /** Links, aliases and counts of all tags are as in the model. */
  async expectAgreement(): Promise<void> {
    const truth = await readTruth(database);
    expect(differences(idSets, this.onlyOwn(truth, await this.numbers()))).toEqual([]);
    for (const [index, { isActive, videos }] of this.model.tags.entries()) {
      const reply = await server.get(`/api/tags/${this.tagIds[index]}`, headers);
      const found = reply.json().tag;
      expect([index, found.active, found.video_count]).toEqual([index, isActive, videos.size]);
      const links = truth.tags.get((await this.numbers())[index] ?? 0) ?? new Set();
      expect([index, this.videos.flatMap((number, at) => (links.has(number) ? [at] : []))]).toEqual([
        index,
        [...videos].sort(),
      ]);
      if (isActive) expect(found.aliases).toEqual(this.model.aliasesOf(index).map((each) => this.prefix + each));
    }
  }

  private async numbers(): Promise<number[]> {
    const rows = await database.reader.selectFrom('tags').select(['id', 'number']).execute();
    return this.tagIds.map((id) => rows.find((row) => row.id === id)?.number ?? 0);
  }

  /** Pairs of all tags of all rounds would be too many to compare. */
  private onlyOwn(truth: Awaited<ReturnType<typeof readTruth>>, numbers: readonly number[]): typeof truth {
    return { ...truth, tags: new Map([...truth.tags].filter(([number]) => numbers.includes(number))) };
  }
}

test('whatever curators do, sets and counts are as the links, and no link is lost', async () => {
  expect(limits.tagAliases).toBeGreaterThan(tagCount);
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 24, maxLength: 24 }), async (acts) => {
      const round = await Round.start();
      for (const [first, name] of (['ash', 'elm', 'fir'] as const).entries()) {
        await round.run({ act: 'create', name });
        for (const video of [first, first + 1, first + 2]) await round.run({ act: 'put', tag: first, video });
      }
      for (const each of acts) await round.run(each);
      await round.expectAgreement();
    }),
    { numRuns: 5 },
  );
});
