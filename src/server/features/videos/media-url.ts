import { streamVideo } from '#contract/endpoints.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import type { Audience } from './audience.ts';
import type { VideoFileChoice } from './encodings/playable-encodings.ts';
import type { Video } from './video.ts';

interface MediaAddress {
  video: Pick<Video, 'id'>;
  /** As clients know it. */
  path: string;
  audience: Pick<Audience, 'viewer' | 'lines'>;
  file: Pick<VideoFileChoice, 'name' | 'version'>;
}

/** Where a player gets the bytes: signed for this viewer, and different once the file is (decision 0044). */
export function mediaUrl(signer: MediaUrlSigner, { video, path, audience, file }: MediaAddress): string {
  const { name: rendition, version } = file;
  const { expires, signature } = signer.sign({
    viewer: audience.viewer,
    videoId: video.id,
    rendition,
    right: audience.lines === Number.POSITIVE_INFINITY ? 'hd' : 'everybody',
  });
  const query = { path, rendition, version, expires, signature };
  return `${streamVideo.path}?${Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`;
}
