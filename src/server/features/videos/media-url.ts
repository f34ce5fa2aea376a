import { streamVideo } from '#contract/endpoints.ts';
import type { Rendition } from '#contract/rules/media/rendition.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import type { Video } from './video.ts';
import { versionOf } from './video.ts';

interface MediaAddress {
  video: Video;
  /** As clients know it. */
  path: string;
  viewer: string;
  rendition: Rendition;
}

/** Where a player gets the bytes: signed for this viewer, and different once the file is. */
export function mediaUrl(signer: MediaUrlSigner, { video, path, viewer, rendition }: MediaAddress): string {
  const { expires, signature } = signer.sign({ viewer, videoId: video.id, rendition });
  const query = { path, rendition, version: versionOf(video), expires, signature };
  return `${streamVideo.path}?${Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`;
}
