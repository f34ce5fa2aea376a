import { streamVideo } from '#contract/endpoints.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import type { VideoFileChoice } from './encodings/playable-encodings.ts';
import type { Video } from './video.ts';

interface MediaAddress {
  video: Pick<Video, 'id'>;
  /** As clients know it. */
  path: string;
  viewer: string;
  file: Pick<VideoFileChoice, 'name' | 'version'>;
}

/** Where a player gets the bytes: signed for this viewer, and different once the file is (decision 0044). */
export function mediaUrl(signer: MediaUrlSigner, { video, path, viewer, file }: MediaAddress): string {
  const { name: rendition, version } = file;
  const { expires, signature } = signer.sign({ viewer, videoId: video.id, rendition });
  const query = { path, rendition, version, expires, signature };
  return `${streamVideo.path}?${Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`;
}
