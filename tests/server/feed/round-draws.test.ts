import { RoaringBitmap32 } from 'roaring-wasm';
import { expect, test } from 'vitest';
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

const draws = isWholeSoak ? 1_000_000 : 3_000;
/** After so many draws, another library begins. */
const drawsOfLibrary = 1_500;
const tags = [1, 2, 3, 4];
const need: SetKey = 'need:6';

/** What the sets hold, as plain sets. */
class Model {
  readonly sets = new Map<SetKey, Set<number>>();
  readonly live: LiveSets = createLiveSets();
  private seq = 1;

  of(key: SetKey): Set<number> {
    return this.sets.get(key) ?? new Set();
  }

  put(key: SetKey, numbers: readonly number[], isIn: boolean): void {
    const set = this.of(key);
    for (const number of numbers) isIn ? set.add(number) : set.delete(number);
    this.sets.set(key, set);
    this.seq += 1;
    this.live.apply({ seq: this.seq, key, op: isIn ? 'add' : 'remove', bits: encodeNumbers(numbers) });
  }

  begin(key: SetKey, numbers: readonly number[]): void {
    this.sets.set(key, new Set(numbers));
    const bits = new RoaringBitmap32(numbers);
    this.live.adopt({ key, seq: 1, cardinality: bits.size, bits: encodeSet(bits) });
    bits.dispose();
  }

  matching({ tags: chosen, mode, blocked, missingNeeds = [] }: TagSelection): number[] {
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
  readonly log: number[] = [];
  readonly began = new Map<string, number>();
  readonly devices: Watcher[];
  /** What each quadrant shows, or has prepared. */
  readonly held: (number | null)[][] = [];
  private readonly reported: number[][] = [[], []];

  constructor(name: string) {
    this.devices = ['phone', 'desk'].map((device) => ({
      ...{ key: name, userId: null, address: name, shuffle: 'once' as const },
      device,
    }));
    for (const _ of this.devices) this.held.push([null, null, null, null]);
  }

  /** A filter that is new begins where all videos began. */
  seen(name: string): Set<number> {
    const all = [...this.began].find(([filter]) => filter.startsWith('all'))?.[1];
    if (!this.began.has(name)) this.began.set(name, all ?? 0);
    return new Set(this.log.slice(this.began.get(name)));
  }

  /** Whether the first report of a device would look as if it were a repeated one. */
  isDoubtful(device: number, number: number): boolean {
    const before = this.reported[device]!;
    const isFirst = before.length === 0 && this.log.slice(-limits.watchedRepeats).includes(number);
    const last = before.slice(-1 - limits.watchedReportedAgain);
    return isFirst || (last.length > limits.watchedReportedAgain && last.every((one) => one === number));
  }

  /** Shows what was drawn, and reports it after the eight before. @returns what the report says */
  show(device: number, number: number): number[] {
    const before = this.reported[device]!;
    this.log.push(number);
    this.reported[device] = [...before, number];
    return this.reported[device].slice(-1 - limits.watchedReportedAgain);
  }
}

test('no video comes twice in a round while another one that matches and that nobody holds has not come', async () => {
  const address = await migratedDatabase();
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
  const ids = await rows.write((transaction, changes) => storeVideos(transaction, changes, 60));
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
    for (let time = 0; time < drawsOfLibrary; time += 1, drawn += 1) {
      if (random(8) === 0) change(model, all.slice(0, most), merged, random);
      const viewer = viewers[random(viewers.length)]!;
      const [device, quadrant] = [random(2), random(4)];
      const filter = filters[random(filters.length)]!;
      const resolved = [...new Set(filter.tags.map((tag) => merged.get(tag) ?? tag))].sort();
      const blocked = random(4) === 0 ? [tags[random(4)]!].map((tag) => merged.get(tag) ?? tag) : [];
      const selection: TagSelection = { tags: resolved, mode: filter.mode, blocked, missingNeeds: filter.needs };
      const held = viewer.held[device]!;
      const exclude = held.flatMap((number, index) => (number === null || index === quadrant ? [] : [number]));
      const matching = model.matching(selection);
      const isAll = resolved.length === 0;
      const name = `${isAll ? 'all' : `${resolved.length > 1 ? filter.mode : ''} ${resolved}`} ${filter.needs}`;
      const pick = await rounds.pick(viewer.devices[device]!, selection, exclude);
      if (matching.length === 0) {
        viewer.seen(name);
        expect(pick).toBeNull();
        continue;
      }
      let seen = viewer.seen(name);
      const isFree = (number: number) => !exclude.includes(number);
      if (seen.size > 0 && !matching.some((number) => !seen.has(number) && isFree(number))) {
        viewer.began.set(name, viewer.log.length);
        seen = new Set();
        restarts += 1;
      }
      const left = matching.filter((number) => !seen.has(number));
      const isWithin = left.some(isFree);
      const allowed = isWithin ? left.filter(isFree) : matching.some(isFree) ? matching.filter(isFree) : matching;
      expect({ number: pick?.number, allowed }).toEqual({
        number: allowed.find((one) => one === pick?.number),
        allowed,
      });
      expect(pick).toMatchObject({ matching: matching.length, unseen: left.length });
      held[quadrant] = pick!.number;
      // Some of what is prepared is never shown.
      if (random(6) === 0 || viewer.isDoubtful(device, pick!.number)) continue;
      const report = viewer.show(device, pick!.number);
      await rounds.record(
        viewer.devices[device]!,
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
