import type { Processing } from '#contract/entities/video.ts';
import * as failures from '#contract/failures.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { DeviceClass } from '#contract/rules/media/needs.ts';
import { lackingNeeds } from '#contract/rules/media/needs.ts';
import { describeLacking } from '../../media/lacking-needs.ts';
import { describeUnplayable } from '../../media/unplayable.ts';
import type { Unplayable } from './feed-repository.ts';

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
