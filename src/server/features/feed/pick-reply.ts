import type { PickedVideo } from '#contract/entities/feed.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import type { Audience } from '../videos/audience.ts';
import type { Playback } from '../videos/encodings/choose-playback.ts';
import { toEncodingReply } from '../videos/encodings/choose-playback.ts';
import { mediaUrl } from '../videos/media-url.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import { posterUrl } from '../videos/poster-url.ts';
import { toStoryboardReply } from '../videos/storyboard-reply.ts';
import type { VideoRow } from './recent-rows.ts';

interface Picked extends VideoRow, Playback {
  audience: Audience;
  matching: number;
  /** Names the poster by its content; null without one. */
  poster: string | null;
}

export function toPickReply(
  places: PathResolver,
  mediaUrls: MediaUrlSigner,
  { video, tags, matching, poster, storyboard, chosen, allowed, audience }: Picked,
): PickedVideo {
  const path = places.pathOf(video);
  return {
    available: true,
    message: null,
    id: video.id,
    path,
    filename: video.filename,
    url: mediaUrl(mediaUrls, { video, path, audience, file: chosen }),
    poster_url: posterUrl(video.id, poster),
    duration: video.durationMs === null ? null : video.durationMs / 1000,
    width: video.width,
    height: video.height,
    size: video.size,
    tags,
    rendition: chosen.name,
    renditions: allowed.map(toEncodingReply),
    storyboard: toStoryboardReply(video.id, storyboard),
    matching,
  };
}
