import { proxy } from 'valtio/vanilla';
import { localStore } from '#app/platform/capabilities.ts';
import { session } from '#app/state/session.ts';

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

interface LanguageState {
  /** What was chosen on this page, until the account has it. */
  chosen: { userId: string | null; language: string } | null;
  /** What is stored on this device, for anonymous viewers. */
  ofDevice: string | null;
}

export const deviceKey = 'fourfold.subtitles';

export const languageState = proxy<LanguageState>({ chosen: null, ofDevice: readDevice() });

type Viewer = { readonly user: { readonly id: string; readonly settings: Stored } | null };
type Stored = { readonly subtitle_language?: string | null };
type State = { readonly [Key in keyof LanguageState]: Readonly<LanguageState[Key]> };

/**
 * The language of subtitles that this person wants, a tag of BCP 47: empty for none, null as long as nothing was ever
 * chosen. It is the account's where somebody is signed in, else the device's.
 */
export function subtitleLanguage(
  { user }: Viewer = session,
  { chosen, ofDevice }: State = languageState,
): string | null {
  if (chosen !== null && chosen.userId === (user?.id ?? null)) return chosen.language;
  // A profile that an earlier version has stored lacks it.
  return user === null ? ofDevice : (user.settings.subtitle_language ?? null);
}

function readDevice(): string | null {
  try {
    return localStore()?.getItem(deviceKey) ?? null;
  } catch {
    // Storage is blocked.
    return null;
  }
}
