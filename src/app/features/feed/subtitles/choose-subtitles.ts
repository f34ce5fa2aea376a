import type { SubtitleTrack } from '#contract/entities/video.ts';
import { setChosenTrack, undetermined } from './chosen-tracks.ts';
import { rememberLanguage } from './remember-language.ts';

/** Shows a track of a video, or none, and the same language with the videos after it. */
export function chooseSubtitles(videoId: string, track: Pick<SubtitleTrack, 'language' | 'url'> | null): void {
  setChosenTrack(videoId, track?.url ?? null);
  void rememberLanguage(track === null ? '' : (track.language ?? undetermined));
}
