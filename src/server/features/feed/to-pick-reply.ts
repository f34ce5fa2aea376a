import type { PickedVideo } from '#contract/entities/feed.ts';
import type { TagLabel } from '#contract/entities/tag.ts';
import type { MediaUrlSigner } from '../../http/signed-urls.ts';
import { mediaUrl } from '../videos/media-url.ts';
import type { Video } from '../videos/video.ts';
import type { VideoPlaces } from '../videos/video-places.ts';

interface Picked {
  video: Video;
  tags: TagLabel[];
  matching: number;
  viewer: string;
}

export function toPickReply(places: VideoPlaces, mediaUrls: MediaUrlSigner, { video, tags, matching, viewer }: Picked): PickedVideo {
  const path = places.pathOf(video);
  return {
    available: true,
    message: null,
    id: video.id,
    path,
    filename: video.filename,
    url: mediaUrl(mediaUrls, { video, path, viewer, rendition: 'source' }),
    poster_url: null,
    duration: video.durationMs === null ? null : video.durationMs / 1000,
    width: video.width,
    height: video.height,
    size: video.size,
    tags,
    rendition: 'source',
    matching,
  };
}
