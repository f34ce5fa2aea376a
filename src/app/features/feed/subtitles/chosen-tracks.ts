import { proxy } from 'valtio/vanilla';
import { localStore } from '#app/platform/capabilities.ts';
import { session } from '#app/state/session.ts';

/** For each video id, the URL of the track chosen since the page was loaded, or null for none. */
export const chosenTracks = proxy<Record<string, string | null>>({});

/** The oldest choices are dropped: their videos have long gone. */
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

/** The language tag of tracks without a language (BCP 47, `und`). */
export const undetermined = 'und';

/**
 * Returns the track to show: the one chosen for the video, or else the first in the viewer's
 * language.
 */
export function trackOf<T extends Track>(
  tracks: readonly T[],
  videoId: string,
  language: string | null,
  chosen: Chosen = chosenTracks,
): T | null {
  if (!areWanted(videoId, language, chosen)) return null;
  // A track's URL changes with its file, so a chosen URL may be missing.
  return tracks.find(({ url }) => url === chosen[videoId]) ?? findByLanguage(tracks, language);
}

/**
 * Prefers the exact language tag, then the primary language: Portuguese matches Brazilian
 * Portuguese if there is no other.
 */
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
  /** The choice made since the page was loaded, until the account stores it. */
  chosen: { userId: string | null; language: string } | null;
  /** The choice stored on this device, for anonymous viewers. */
  ofDevice: string | null;
}

export const deviceKey = 'fourfold.subtitles';

export const languageState = proxy<LanguageState>({ chosen: null, ofDevice: readDevice() });

type Viewer = { readonly user: { readonly id: string; readonly settings: Stored } | null };
type Stored = { readonly subtitle_language?: string | null };
type State = { readonly [Key in keyof LanguageState]: Readonly<LanguageState[Key]> };

/**
 * The language of subtitles that the viewer wants, a BCP 47 tag: empty for none, null when never
 * chosen. It belongs to the account of a signed-in user, otherwise to the device.
 */
export function subtitleLanguage(
  { user }: Viewer = session,
  { chosen, ofDevice }: State = languageState,
): string | null {
  if (chosen !== null && chosen.userId === (user?.id ?? null)) return chosen.language;
  // A profile stored by an earlier version lacks it.
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
