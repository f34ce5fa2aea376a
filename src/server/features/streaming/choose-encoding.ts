import type { Encoding, Rendition } from '#contract/rules/media/rendition.ts';
import { bestAllowed, mayHave } from '#contract/rules/media/rendition.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import type { Video } from '../videos/video.ts';

/** What there is of a video: so far the file as it came. */
function encodingsOf(video: Video): Encoding[] {
  return [{ name: 'source', height: video.height }];
}

/**
 * The encoding that was asked for, or the best that the caller may have.
 * @param lines the most that the caller may have
 * @param isSigned the server itself handed out this address
 * @throws NotFound for an encoding that is not there, Refusal 403 for one that is too good
 */
export function chooseEncoding(
  video: Video,
  wanted: Rendition | undefined,
  lines: number,
  isSigned: boolean,
): Encoding {
  const encodings = encodingsOf(video);
  const chosen =
    wanted === undefined ? bestAllowed(encodings, lines) : encodings.find((encoding) => encoding.name === wanted);
  if (chosen === undefined || chosen === null) throw new NotFound('rendition');
  if (!isSigned && !mayHave(chosen, encodings, lines)) throw new Refusal('forbidden');
  return chosen;
}
