import type { TagLabel } from '#contract/entities/tag.ts';
import type { Video as VideoReply } from '#contract/entities/video.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import { mediaUrl } from './media-url.ts';
import type { PathResolver } from './path-resolver.ts';
import { posterUrl } from './poster-url.ts';
import type { VideoCard } from './video-page-repository.ts';

interface Shown extends VideoCard {
  tags: TagLabel[];
  /** Whom the address of its bytes is signed for. */
  viewer: string;
}

/** A video that can be played. */
export function toVideoReply(
  places: PathResolver,
  mediaUrls: MediaUrlSigner,
  { video, tags, poster, createdAt, viewer }: Shown,
): VideoReply {
  const path = places.pathOf(video);
  return {
    id: video.id,
    path,
    filename: video.filename,
    size: video.size,
    tags,
    url: mediaUrl(mediaUrls, { video, path, viewer, rendition: 'source' }),
    poster_url: posterUrl(video.id, poster),
    storyboard: null,
    available: true,
    message: null,
    duration: video.durationMs === null ? null : video.durationMs / 1000,
    width: video.width,
    height: video.height,
    renditions: [],
    processing: null,
    created_at: new Date(createdAt).toISOString(),
  };
}
