import type { VideoEncoding } from '#contract/entities/video.ts';
import type { PictureDemand } from '#contract/rules/media/choose-rendition.ts';
import { chooseRendition } from '#contract/rules/media/choose-rendition.ts';
import { mayHave } from '#contract/rules/media/rendition.ts';
import type { Audience } from '../audience.ts';
import type { Video } from '../video.ts';
import type { StoredEncoding } from './encoding-repository.ts';
import type { VideoFileChoice } from './playable-encodings.ts';
import { everyDevice, listPlayable, toOriginal } from './playable-encodings.ts';

/** What is known of the element that is to show it. */
export type ElementFacts = Omit<PictureDemand, 'lines'>;

/** A card, or a quadrant of which nothing has been told: it gets what is enough for a quarter of a screen. */
export const unknownElement: ElementFacts = {
  width: null,
  height: null,
  kbps: null,
  savesData: false,
  droppedPercent: null,
};

/** How a video is played by one device. */
export interface Playback {
  chosen: VideoFileChoice;
  /** All that this device plays and this viewer may have. */
  allowed: readonly VideoFileChoice[];
}

/** Without a file that this device plays it is one that others do: no player is left without an address. */
export function choosePlayback(
  { video, encodings }: { video: Video; encodings: readonly StoredEncoding[] },
  { device, lines }: Pick<Audience, 'device' | 'lines'>,
  element: ElementFacts = unknownElement,
): Playback {
  const demand = { ...element, lines };
  const playable = listPlayable(video, encodings, device);
  const chosen =
    chooseRendition(playable, demand) ??
    chooseRendition(listPlayable(video, encodings, everyDevice), demand) ??
    toOriginal(video);
  return { chosen, allowed: playable.filter((file) => mayHave(file, playable, lines)) };
}

export function toEncodingReply({ name, bytes, width, height, needs }: VideoFileChoice): VideoEncoding {
  return { name, bytes, width, height, ...(needs === 0 ? {} : { needs }) };
}
