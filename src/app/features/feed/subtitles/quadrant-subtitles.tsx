import { useSnapshot } from 'valtio';
import { session } from '#app/state/session.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { feed } from '../quadrant/feed-state.ts';
import { areWanted, chosenTracks, trackOf } from './chosen-tracks.ts';
import { languageState, subtitleLanguage } from './subtitle-language.ts';
import { useSubtitleList } from './subtitle-lists.ts';
import { SubtitleText } from './subtitle-text.tsx';

/** The subtitles of the video on screen, where they are wanted and it has them. */
export function QuadrantSubtitles({ quadrant }: { quadrant: Quadrant }) {
  const { shown } = useSnapshot(feed.quadrants[quadrant]);
  const language = subtitleLanguage(useSnapshot(session), useSnapshot(languageState));
  const chosen = useSnapshot(chosenTracks);
  const isWanted = shown !== null && areWanted(shown.id, language, chosen);
  return isWanted ? <VideoSubtitles key={shown.id} quadrant={quadrant} videoId={shown.id} language={language} /> : null;
}

interface Props {
  quadrant: Quadrant;
  videoId: string;
  language: string | null;
}

function VideoSubtitles({ quadrant, videoId, language }: Props) {
  const { value } = useSnapshot(useSubtitleList(videoId).state);
  const track = trackOf(value?.tracks ?? [], videoId, language, useSnapshot(chosenTracks));
  return track && <SubtitleText key={track.url} quadrant={quadrant} url={track.url} language={track.language} />;
}
