import type { PickReply } from '#contract/entities/feed.ts';
import { lackingNeeds } from '#contract/rules/media/needs.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import type { Audience } from '../videos/audience.ts';
import type { ElementFacts } from '../videos/encodings/choose-playback.ts';
import { choosePlayback } from '../videos/encodings/choose-playback.ts';
import { needsLess } from '../videos/encodings/needs-less.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import type { NotPlayable, VideoMaker } from './make-playable.ts';
import { makePlayable } from './make-playable.ts';
import type { PickDeps, PickRequest } from './pick.ts';
import { VideoPicker } from './pick.ts';
import { toPickReply } from './pick-reply.ts';

export interface GiveVideoDeps extends PickDeps {
  places: PathResolver;
  mediaUrls: MediaUrlSigner;
  encodings: VideoMaker & {
    /** Told of each pick that a smaller encoding would have done for. */
    countPick(videoNumber: number): void;
    /** Told of each pick whose sound the device does not play. */
    countSilentPick(videoNumber: number): void;
    /** Told what a device lacks, so that some videos were not drawn for it. @param places in `mediaNeeds` */
    noteLacking(places: readonly number[]): void;
  };
}

/**
 * Draws a video, and says all that a player needs to know of it.
 * @param element what is known of the quadrant
 * @throws Refusal 404 when none matches
 */
export type GiveVideo = (request: PickRequest, audience: Audience, element?: ElementFacts) => Promise<PickReply>;

export function createGiveVideo(deps: GiveVideoDeps): GiveVideo {
  const { places, mediaUrls, encodings } = deps;
  const picker = new VideoPicker(deps);
  return async (request, audience, element) => {
    const { device } = audience;
    const pick = await picker.pick(request, device);
    if (pick.kind === 'none') throw new Refusal('no_videos_available');
    if (pick.kind === 'unavailable') {
      const notPlayable = await makePlayable(pick.found, device, request.isWaitedFor === false ? nobody : encodings);
      if (notPlayable === null) throw new Refusal('no_videos_available');
      return notYet(notPlayable);
    }
    if (request.isWaitedFor !== false) encodings.noteLacking(pick.lacks);
    const playback = choosePlayback(pick, audience, element);
    if (lackingNeeds(playback.chosen.needs, device) !== 0) encodings.countSilentPick(pick.video.number);
    if (needsLess(playback.chosen, pick.encodings, element)) encodings.countPick(pick.video.number);
    return toPickReply(places, mediaUrls, { ...pick, ...playback, audience });
  };
}

/** For whom nothing is made. */
const nobody: VideoMaker = { want: async () => null };

function notYet(why: NotPlayable): PickReply {
  return { available: false, id: null, path: null, filename: null, url: null, matching: 0, ...why };
}
