import { localStore } from '#app/platform/capabilities.ts';
import { applyUser } from '#app/state/account.ts';
import { sendOrStore } from '#app/state/outbox/outbox-actions.ts';
import { session } from '#app/state/session.ts';
import { languageName } from '#app/ui/texts.ts';
import type { SubtitleTrack, UnsupportedTrack } from '#contract/entities/video.ts';
import { deviceKey, languageState, setChosenTrack, undetermined } from './chosen-tracks.ts';

/** Shows a track of a video, or none, and the same language with the videos after it. */
export function chooseSubtitles(videoId: string, track: Pick<SubtitleTrack, 'language' | 'url'> | null): void {
  setChosenTrack(videoId, track?.url ?? null);
  void rememberLanguage(track === null ? '' : (track.language ?? undetermined));
}

/** Takes effect at once; the account or this device remembers it. */
export async function rememberLanguage(language: string): Promise<void> {
  const chosen = { userId: session.user?.id ?? null, language };
  languageState.chosen = chosen;
  if (chosen.userId === null) {
    storeOnDevice(language);
    return;
  }
  try {
    const sent = await sendOrStore('updateProfile', { body: { settings: { subtitle_language: language } } });
    if (sent.isStored) return;
    applyUser(sent.reply);
    if (languageState.chosen?.language === language) languageState.chosen = null;
  } catch {
    // Refused, and no room to store it: it lasts as long as the page.
  }
}

function storeOnDevice(language: string): void {
  languageState.ofDevice = language;
  try {
    localStore()?.setItem(deviceKey, language);
  } catch {
    // Storage is full or blocked: it lasts as long as the page.
  }
}

/** What of a video cannot be chosen, in words; null when everything can. */
export function unsupportedWords(tracks: readonly UnsupportedTrack[]): string | null {
  const pictures = tracks.filter(({ kind }) => kind === 'picture-subtitles');
  const audio = tracks.filter(({ kind }) => kind === 'audio');
  const parts = [
    ...(pictures.length > 0 ? [`picture subtitles${languagesOf(pictures)}`] : []),
    ...(audio.length > 0
      ? [`${audio.length} more audio ${audio.length === 1 ? 'track' : 'tracks'}${languagesOf(audio)}`]
      : []),
  ];
  return parts.length > 0 ? `Not supported: ${parts.join(', ')}` : null;
}

function languagesOf(tracks: readonly UnsupportedTrack[]): string {
  const names = tracks.map(({ language }) => (language === null ? null : languageName(language)));
  const known = names.filter((name, at): name is string => name !== null && names.indexOf(name) === at);
  return known.length > 0 ? ` (${known.join(', ')})` : '';
}
