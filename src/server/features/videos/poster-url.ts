import { readPoster } from '#contract/endpoints.ts';

/** Where the poster is: another address as soon as it is another image, so that it may be kept for ever. */
export function posterUrl(videoId: string, content: string | null | undefined): string | null {
  return content === null || content === undefined
    ? null
    : `${readPoster.path.replace('{id}', encodeURIComponent(videoId))}?version=${content}`;
}
