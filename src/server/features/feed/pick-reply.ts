import type { PickedVideo } from '#contract/entities/feed.ts';
import type { TagLabel } from '#contract/entities/tag.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import { mediaUrl } from '../videos/media-url.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import { posterUrl } from '../videos/poster-url.ts';
import type { Video } from '../videos/video.ts';

interface Picked {
  video: Video;
  tags: TagLabel[];
  matching: number;
  /** Names the poster by its content; null without one. */
  poster: string | null;
  viewer: string;
}

export function toPickReply(
  places: PathResolver,
  mediaUrls: MediaUrlSigner,
  { video, tags, matching, poster, viewer }: Picked,
): PickedVideo {
  const path = places.pathOf(video);
  return {
    available: true,
    message: null,
    id: video.id,
    path,
    filename: video.filename,
    url: mediaUrl(mediaUrls, { video, path, viewer, rendition: 'source' }),
    poster_url: posterUrl(video.id, poster),
    duration: video.durationMs === null ? null : video.durationMs / 1000,
    width: video.width,
    height: video.height,
    size: video.size,
    tags,
    rendition: 'source',
    renditions: [],
    storyboard: null,
    matching,
  };
}
