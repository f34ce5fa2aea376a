import { languageName } from '#app/ui/language-name.ts';
import type { UnsupportedTrack } from '#contract/entities/video.ts';

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
