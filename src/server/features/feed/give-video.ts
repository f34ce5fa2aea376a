import type { PickReply } from '#contract/entities/feed.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import { describeUnplayable } from '../../media/unplayable.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import type { PickDeps, PickRequest } from './pick.ts';
import { VideoPicker } from './pick.ts';
import { toPickReply } from './pick-reply.ts';

/**
 * Draws a video, and says all that a player needs to know of it.
 * @param viewer whom its address is signed for
 * @throws Refusal 404 when none matches
 */
export type GiveVideo = (request: PickRequest, viewer: string) => Promise<PickReply>;

export function createGiveVideo(deps: PickDeps, places: PathResolver, mediaUrls: MediaUrlSigner): GiveVideo {
  const picker = new VideoPicker(deps);
  return async (request, viewer) => {
    const pick = await picker.pick(request);
    if (pick.kind === 'none') throw new Refusal('no_videos_available');
    if (pick.kind === 'unavailable') return notYet(describeUnplayable(pick.reason));
    return toPickReply(places, mediaUrls, { ...pick, viewer });
  };
}

function notYet(message: string): PickReply {
  return { available: false, message, id: null, path: null, filename: null, url: null, matching: 0, processing: null };
}
