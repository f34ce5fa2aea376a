import type { VideoTag } from '#contract/entities/tag.ts';
import type { Processing, Video as VideoReply } from '#contract/entities/video.ts';
import * as failures from '#contract/failures.ts';
import { lackingNeeds } from '#contract/rules/media/needs.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import { describeLacking } from '../../media/lacking-needs.ts';
import { describeUnplayable } from '../../media/unplayable.ts';
import type { Audience } from './audience.ts';
import { choosePlayback, toEncodingReply } from './encodings/choose-playback.ts';
import { mediaUrl } from './media-url.ts';
import type { PathResolver } from './path-resolver.ts';
import { posterUrl } from './poster-url.ts';
import { toStoryboardReply } from './storyboard-reply.ts';
import type { Video } from './video.ts';
import type { VideoCard } from './video-page-repository.ts';

interface Shown extends VideoCard {
  tags: VideoTag[];
  /** What is being done on it; null: nothing. */
  processing: Processing | null;
}

/**
 * A video that some device plays; where this one does not, it says why. Its address is that of the encoding for a card.
 */
export function toVideoReply(
  places: PathResolver,
  mediaUrls: MediaUrlSigner,
  audience: Audience,
  { video, tags, poster, createdAt, encodings, storyboard, processing }: Shown,
): VideoReply {
  const path = places.pathOf(video);
  const { chosen, allowed } = choosePlayback({ video, encodings }, audience);
  const isPlayable = allowed.length > 0;
  return {
    id: video.id,
    path,
    filename: video.filename,
    size: video.size,
    tags,
    url: mediaUrl(mediaUrls, { video, path, audience, file: chosen }),
    poster_url: posterUrl(video.id, poster),
    storyboard: toStoryboardReply(video.id, storyboard),
    available: isPlayable,
    message: isPlayable ? null : explain(video, audience, processing),
    duration: video.durationMs === null ? null : video.durationMs / 1000,
    width: video.width,
    height: video.height,
    renditions: allowed.map(toEncodingReply),
    processing,
    created_at: new Date(createdAt).toISOString(),
  };
}

function explain({ needs }: Video, { device }: Audience, processing: Processing | null): string {
  if (processing !== null && processing.state !== 'failed') return failures.madePlayable;
  return describeLacking(lackingNeeds(needs, device)) ?? describeUnplayable(null);
}
