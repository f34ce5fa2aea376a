import type { Processing } from '#contract/entities/video.ts';
import { failures } from '#contract/failures.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { DeviceClass } from '#contract/rules/media-needs.ts';
import { lackingNeeds, showsPicture } from '#contract/rules/media-needs.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';
import { describeLacking, describeUnplayable } from '../../media/unplayable.ts';
import type { Unplayable } from './feed-repository.ts';
import { feedRepository } from './feed-repository.ts';

/** Makes videos playable on request. A repeated request for the same video returns its progress. */
export interface VideoMaker {
  /** Null: the video cannot be made playable. */
  want(videoNumber: number): Promise<Processing | null>;
}

/**
 * Why a device plays none of the matching videos, in words for the viewer, and the processing in
 * progress.
 */
export interface NotPlayable {
  message: string;
  processing: Processing | null;
}

/** One video for each quadrant, so that a waiting viewer does not see the same video four times. */
const wantedTogether = quadrants.length;
/** The most videos that are requested. Those that failed before do not count. */
const maxAsked = 12;

/**
 * Requests the newest videos that can be made playable. They stay the same until one can be played.
 * @param found newest first
 * @returns null when `found` is empty
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

/**
 * The most pages of rows that are searched for an explanation, which is only a sentence on the
 * screen.
 */
const maxPages = 20;

/**
 * The existing videos of a selection that a device cannot play, newest first: those that other
 * devices play, then those that none does. The selection must have no video that this device plays.
 * @param selection all matching videos, whatever the device lacks
 */
export async function* findUnplayable(
  executor: Executor,
  idSets: IdSets,
  selection: TagSelection,
  device: DeviceClass,
): AsyncGenerator<Unplayable> {
  for (let page = 0; page < maxPages; page += 1) {
    const { numbers } = idSets.page(selection, page * inListLength, inListLength);
    const rows = await feedRepository.findPresent(executor, numbers);
    // A video added since the draw is skipped here, and can be drawn next time.
    yield* rows.filter(({ reason, needs }) => reason !== null || !showsPicture(needs, device));
    if (numbers.length < inListLength) break;
  }
  yield* selection.tags.length + (selection.forms?.length ?? 0) === 0
    ? findWished(executor, idSets, selection)
    : findTagged(executor, idSets, selection);
}

async function* findTagged(executor: Executor, idSets: IdSets, selection: TagSelection): AsyncGenerator<Unplayable> {
  for (let page = 0; page < maxPages; page += 1) {
    const numbers = idSets.pageUnavailable(selection, page * inListLength, inListLength);
    yield* await feedRepository.findPresent(executor, numbers);
    if (numbers.length < inListLength) return;
  }
}

async function* findWished(executor: Executor, idSets: IdSets, selection: TagSelection): AsyncGenerator<Unplayable> {
  let before: number | null = null;
  for (let page = 0; page < maxPages; page += 1) {
    const rows: Unplayable[] = await feedRepository.pageUnplayable(executor, before, inListLength);
    yield* rows.filter(({ number }) => idSets.wishes(selection, number));
    if (rows.length < inListLength) return;
    before = rows.at(-1)?.number ?? before;
  }
}
