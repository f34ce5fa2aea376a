import { existsSync } from 'node:fs';
import { RoaringBitmap32 } from 'roaring-wasm';
import { expect, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import { openDatabase } from '#server/database/connection.ts';
import { Rounds } from '#server/features/watched/rounds.ts';
import type { Watcher } from '#server/features/watched/watched-owner.ts';
import { encodeNumbers, encodeSet } from '#server/id-sets/bits.ts';
import { createIdSets } from '#server/id-sets/id-sets.ts';
import type { LiveSets } from '#server/id-sets/live-sets.ts';
import { createLiveSets } from '#server/id-sets/live-sets.ts';
import { createPicker } from '#server/id-sets/picker.ts';
import type { SetKey } from '#server/id-sets/set-changes.ts';
import type { TagSelection } from '#server/id-sets/tag-selection.ts';
import { createIds } from '#server/ids.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { createLog } from '#server/log.ts';
import { migratedDatabase } from '#tests/support/database/test-database.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { isWholeSoak, soakSeed } from '#tests/support/soak.ts';
import { seededRandom } from '#tests/unit/server/id-sets/list-set.ts';

const { draws, mostVideos } = isWholeSoak ? { draws: 1_000_000, mostVideos: 800 } : { draws: 3_000, mostVideos: 60 };
/** Another library begins after so many draws, and more for each of its videos. */
const drawsOfLibrary = { least: 300, perVideo: 8 };
const memoryFolder = '/dev/shm';
const tags = [1, 2, 3, 4];
const need: SetKey = 'need:6';

/** What the sets hold, as plain sets. */
class Model {
  readonly sets = new Map<SetKey, Set<number>>();
  readonly live: LiveSets = createLiveSets();
  private seq = 1;
  /** What selections match until the next change. */
  private readonly known = new Map<string, number[]>();

  of(key: SetKey): Set<number> {
    return this.sets.get(key) ?? new Set();
  }

  put(key: SetKey, numbers: readonly number[], isIn: boolean): void {
    const set = this.of(key);
    for (const number of numbers) isIn ? set.add(number) : set.delete(number);
    this.sets.set(key, set);
    this.known.clear();
    this.seq += 1;
    this.live.apply({ seq: this.seq, key, op: isIn ? 'add' : 'remove', bits: encodeNumbers(numbers) });
  }

  begin(key: SetKey, numbers: readonly number[]): void {
    this.sets.set(key, new Set(numbers));
    const bits = new RoaringBitmap32(numbers);
    this.live.adopt({ key, seq: 1, cardinality: bits.size, bits: encodeSet(bits) });
    bits.dispose();
  }

  matching(selection: TagSelection): number[] {
    const name = JSON.stringify(selection);
    const known = this.known.get(name) ?? this.compute(selection);
    this.known.set(name, known);
    return known;
  }

  private compute({ tags: chosen, mode, blocked, missingNeeds = [] }: TagSelection): number[] {
    const isChosen = (number: number) =>
      chosen.length === 0 ||
      (mode === 'AND'
        ? chosen.every((tag) => this.of(tag).has(number))
        : chosen.some((tag) => this.of(tag).has(number)));
    const isRefused = (number: number) =>
      blocked.some((tag) => this.of(tag).has(number)) || (missingNeeds.length > 0 && this.of(need).has(number));
    return [...this.of('available')].filter((number) => isChosen(number) && !isRefused(number));
  }
}

/** One viewer on two devices of four quadrants each, by the definition of rounds. */
class Viewer {
  readonly devices: Device[];
  private readonly log: number[] = [];
  /** What the rounds have seen, by their filters. */
  private readonly rounds = new Map<string, Set<number>>();

  constructor(name: string) {
    const watcher = { key: name, userId: null, address: name, shuffle: 'once' as const };
    this.devices = ['phone', 'desk'].map((device) => new Device({ ...watcher, device }));
  }

  /** A filter that is new begins where all videos began. */
  seen(name: string): Set<number> {
    const all = [...this.rounds].find(([filter]) => filter.startsWith('all'))?.[1];
    const seen = this.rounds.get(name) ?? new Set(all ?? this.log);
    this.rounds.set(name, seen);
    return seen;
  }

  /** The server learns what a device has shown since its last report. @returns what the report says */
  report(device: Device): number[] {
    const { told, untold } = device;
    this.log.push(...untold);
    for (const seen of this.rounds.values()) for (const number of untold) seen.add(number);
    device.told = [...told, ...untold].slice(-limits.watchedRepeats);
    device.untold = [];
    return [...told.slice(-limits.watchedReportedAgain), ...untold];
  }

  /** Whether the next report of a device would look as if it told something once more. */
  isDoubtful({ told, untold }: Device, number: number): boolean {
    if (told.length === 0) return this.log.slice(-limits.watchedRepeats).includes(number);
    const again = told.slice(-limits.watchedReportedAgain);
    const report = [...again, ...untold, number];
    const overlaps = (length: number) => told.slice(-length).every((one, at) => one === report[at]);
    const lengths = report.map((_, at) => at + 1).slice(again.length);
    return lengths.some((length) => told.length >= length && overlaps(length));
  }
}

class Device {
  readonly watcher: Watcher;
  /** What each quadrant shows, or has prepared. */
  readonly held: (number | null)[] = [null, null, null, null];
  /** The last videos that the server was told of, and those of which it was not. */
  told: number[] = [];
  untold: number[] = [];

  constructor(watcher: Watcher) {
    this.watcher = watcher;
  }
}

test('no video comes twice in a round while another one that matches and that nobody holds has not come', async () => {
  // A round that begins again is synced, which is all that a disk would be waited for.
  if (isWholeSoak && existsSync(memoryFolder)) vi.stubEnv('TMPDIR', memoryFolder);
  const address = await migratedDatabase();
  vi.unstubAllEnvs();
  const database = openDatabase(address);
  const clock = settableClock();
  const log = createLog('silent');
  const random = seededRandom(soakSeed);
  const rows = createIdSets({ database, clock, log, randomBelow: random });
  await rows.start();
  await database.write((transaction) =>
    transaction
      .insertInto('library_roots')
      .values({ name: 'root', folder: '/none', kind: 'folder', active: 1, created_at: 1 })
      .execute(),
  );
  const ids = await rows.write((transaction, changes) => storeVideos(transaction, changes, mostVideos));
  const numberOf = new Map(
    (await database.reader.selectFrom('videos').select(['id', 'number']).execute()).map((row) => [row.number, row.id]),
  );
  const all = [...numberOf.keys()];
  expect(all).toHaveLength(ids.length);
  let [drawn, restarts] = [0, 0];
  while (drawn < draws) {
    const model = new Model();
    const most = 3 + random(all.length - 3);
    model.begin('available', all.slice(0, 1 + random(most)));
    for (const tag of tags)
      model.begin(
        tag,
        all.filter(() => random(3) === 0),
      );
    model.begin(
      need,
      all.filter(() => random(5) === 0),
    );
    const picker = createPicker(model.live, clock, random);
    const rateLimits = createRateLimits(database, clock);
    const env = { remembersWatched: true };
    const rounds = new Rounds({ database, clock, ids: createIds(clock), env, idSets: picker, rateLimits, log });
    const viewers = ['ann', 'bob'].map((name) => new Viewer(`${name}-${drawn}`));
    const merged = new Map<number, number>();
    const filters = Array.from({ length: 5 }, (_, index) => ({
      tags: index === 0 ? [] : tags.filter(() => random(2) === 0),
      mode: random(2) === 0 ? ('OR' as const) : ('AND' as const),
      needs: random(2) === 0 ? [6] : [],
    }));
    const times = drawsOfLibrary.least + drawsOfLibrary.perVideo * most;
    for (let time = 0; time < times; time += 1, drawn += 1) {
      if (random(8 + Math.floor(most / 8)) === 0) change(model, all.slice(0, most), merged, random);
      const viewer = viewers[random(viewers.length)]!;
      const [device, quadrant] = [viewer.devices[random(2)]!, random(4)];
      const filter = filters[random(filters.length)]!;
      const resolved = [...new Set(filter.tags.map((tag) => merged.get(tag) ?? tag))].sort();
      const blocked = random(4) === 0 ? [tags[random(4)]!].map((tag) => merged.get(tag) ?? tag) : [];
      const selection: TagSelection = { tags: resolved, mode: filter.mode, blocked, missingNeeds: filter.needs };
      const others = device.held.flatMap((number, index) => (number === null || index === quadrant ? [] : [number]));
      const exclude = [...others, ...device.untold];
      const matching = model.matching(selection);
      const isAll = resolved.length === 0;
      const name = `${isAll ? 'all' : `${resolved.length > 1 ? filter.mode : ''} ${resolved}`} ${filter.needs}`;
      const pick = await rounds.pick(device.watcher, selection, exclude);
      const seen = viewer.seen(name);
      if (matching.length === 0) {
        expect(pick).toBeNull();
        continue;
      }
      const isFree = (number: number) => !exclude.includes(number);
      if (seen.size > 0 && !matching.some((number) => !seen.has(number) && isFree(number))) {
        seen.clear();
        restarts += 1;
      }
      const left = matching.filter((number) => !seen.has(number));
      const isWithin = left.some(isFree);
      const allowed = isWithin ? left.filter(isFree) : matching.some(isFree) ? matching.filter(isFree) : matching;
      const isRight = allowed.includes(pick?.number ?? 0);
      if (!isRight || pick?.matching !== matching.length || pick.unseen !== left.length)
        expect(pick).toEqual({ number: `one of ${allowed}`, matching: matching.length, unseen: left.length });
      device.held[quadrant] = pick!.number;
      // Some of what is prepared is never shown.
      if (random(6) === 0 || viewer.isDoubtful(device, pick!.number)) continue;
      device.untold.push(pick!.number);
      if (device.told.length > 0 && device.untold.length < 1 + random(limits.watchedReportVideos)) continue;
      const report = viewer.report(device);
      await rounds.record(
        device.watcher,
        report.map((number) => numberOf.get(number) ?? ''),
      );
    }
    await rounds.stop();
  }
  expect(restarts).toBeGreaterThan(draws / 100);
  await rows.stop();
  await database.close();
}, 3_600_000);

/** One change of the library: a video joins or goes, is tagged or untagged, or a tag is merged into another one. */
function change(
  model: Model,
  all: readonly number[],
  merged: Map<number, number>,
  random: (limit: number) => number,
): void {
  const number = all[random(all.length)] ?? 1;
  const tag = tags[random(tags.length)]!;
  const kind = random(9);
  if (kind < 4) model.put('available', [number], kind % 2 === 0);
  else if (kind < 7) model.put(merged.get(tag) ?? tag, [number], kind % 2 === 0);
  else if (kind === 7) model.put(need, [number], random(2) === 0);
  else if (merged.size === 0 && random(40) === 0) {
    const into = tags.find((other) => other !== tag)!;
    merged.set(tag, into);
    model.put(into, [...model.of(tag)], true);
    model.put(tag, [...model.of(tag)], false);
  }
}
