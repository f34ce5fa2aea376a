import type { Processing } from '#contract/entities/video.ts';
import * as failures from '#contract/failures.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { DeviceClass } from '#contract/rules/media-needs.ts';
import { lackingNeeds, showsPicture } from '#contract/rules/media-needs.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';
import { describeLacking, describeUnplayable } from '../../media/unplayable.ts';
import type { Unplayable } from './feed-repository.ts';
import { findPresent, listUnplayable } from './feed-repository.ts';

/** Makes videos playable that somebody waits for. Asked again for the same one, it says how far that is. */
export interface VideoMaker {
  /** Null: nothing can make it playable. */
  want(videoNumber: number): Promise<Processing | null>;
}

/** Why a device plays none of the videos that match, in words for a person, and what is being done about it. */
export interface NotPlayable {
  message: string;
  processing: Processing | null;
}

/** As many as are seen at once: whoever waits is not to watch the same video four times. */
const wantedTogether = quadrants.length;
/** Videos that are looked at; those that could not be made playable before do not count. */
const maxAsked = 12;

/**
 * Asks for the newest ones that can be made playable. They are the same ones each time, until one plays.
 * @param found newest first @returns null when there is none at all
 */
export async function makePlayable(
  found: AsyncIterable<Unplayable>,
  device: DeviceClass,
  maker: VideoMaker,
): Promise<NotPlayable | null> {
  let first: Unplayable | null = null;
  let asked = 0;
  const underWay: Processing[] = [];
  for await (const video of found) {
    first ??= video;
    if (video.failure !== null) continue;
    asked += 1;
    const processing = await maker.want(video.number);
    if (processing !== null && processing.state !== 'failed') underWay.push(processing);
    if (underWay.length === wantedTogether || asked === maxAsked) break;
  }
  if (first === null) return null;
  const [nearest] = underWay.sort(byProgress);
  if (nearest !== undefined) return { message: failures.madePlayable, processing: nearest };
  return { message: explain(first, device), processing: null };
}

function byProgress(one: Processing, other: Processing): number {
  return Number(other.state === 'running') - Number(one.state === 'running') || other.progress - one.progress;
}

function explain({ failure, reason, needs }: Unplayable, device: DeviceClass): string {
  const lacking = reason === null ? describeLacking(lackingNeeds(needs, device)) : null;
  return failure ?? lacking ?? describeUnplayable(reason);
}

/** Beyond so many rows that do not explain it, nothing does: it is a sentence on a screen. */
const maxPages = 20;

/**
 * The videos of a selection that are there and that a device cannot play, newest first: those that others play, then
 * those that nothing plays. For a selection of which this device plays none.
 * @param selection all that match, whatever the device lacks
 */
export async function* findUnplayable(
  executor: Executor,
  idSets: IdSets,
  selection: TagSelection,
  device: DeviceClass,
): AsyncGenerator<Unplayable> {
  for (let page = 0; page < maxPages; page += 1) {
    const { numbers } = idSets.page(selection, page * inListLength, inListLength);
    const rows = await findPresent(executor, numbers);
    // What has come since nothing could be drawn is drawn next time.
    yield* rows.filter(({ reason, needs }) => reason !== null || !showsPicture(needs, device));
    if (numbers.length < inListLength) break;
  }
  yield* selection.tags.length === 0
    ? findUnblocked(executor, idSets, selection.blocked)
    : findTagged(executor, idSets, selection);
}

async function* findTagged(executor: Executor, idSets: IdSets, selection: TagSelection): AsyncGenerator<Unplayable> {
  for (let page = 0; page < maxPages; page += 1) {
    const numbers = idSets.pageUnavailable(selection, page * inListLength, inListLength);
    yield* await findPresent(executor, numbers);
    if (numbers.length < inListLength) return;
  }
}

async function* findUnblocked(
  executor: Executor,
  idSets: IdSets,
  blocked: readonly number[],
): AsyncGenerator<Unplayable> {
  let before: number | null = null;
  for (let page = 0; page < maxPages; page += 1) {
    const rows: Unplayable[] = await listUnplayable(executor, before, inListLength);
    yield* rows.filter(({ number }) => !idSets.isOnAny(blocked, number));
    if (rows.length < inListLength) return;
    before = rows.at(-1)?.number ?? before;
  }
}
