import { proxy } from 'valtio/vanilla';

/** By video: the address of the track that was chosen for it on this page, or null for none. */
export const chosenTracks = proxy<Record<string, string | null>>({});

/** Older ones count for nothing: their videos have long gone. */
const rememberedMax = 50;

export function setChosenTrack(videoId: string, url: string | null): void {
  delete chosenTracks[videoId];
  chosenTracks[videoId] = url;
  const [oldest] = Object.keys(chosenTracks);
  if (oldest !== undefined && Object.keys(chosenTracks).length > rememberedMax) delete chosenTracks[oldest];
}

type Chosen = Readonly<Record<string, string | null>>;

/** Whether subtitles of a video may be wanted, by its own choice or by the language. */
export function areWanted(videoId: string, language: string | null, chosen: Chosen = chosenTracks): boolean {
  const choice = chosen[videoId];
  return choice === undefined ? Boolean(language) : choice !== null;
}

interface Track {
  readonly language: string | null;
  readonly url: string;
}

/** Stands for tracks that do not say their language (BCP 47, `und`). */
export const undetermined = 'und';

/** The track to show: what was chosen for the video, else the first of the person's language. */
export function trackOf<T extends Track>(
  tracks: readonly T[],
  videoId: string,
  language: string | null,
  chosen: Chosen = chosenTracks,
): T | null {
  if (!areWanted(videoId, language, chosen)) return null;
  // Its address changes with the file.
  return tracks.find(({ url }) => url === chosen[videoId]) ?? findByLanguage(tracks, language);
}

/** Brazilian Portuguese does where there is no other Portuguese. */
function findByLanguage<T extends Track>(tracks: readonly T[], language: string | null): T | null {
  if (!language) return null;
  const exact = tracks.find((track) => tagOf(track) === language);
  return exact ?? tracks.find((track) => primaryOf(tagOf(track)) === primaryOf(language)) ?? null;
}

function tagOf({ language }: Track): string {
  return language ?? undetermined;
}

function primaryOf(tag: string): string {
  return tag.split('-')[0] ?? tag;
}
