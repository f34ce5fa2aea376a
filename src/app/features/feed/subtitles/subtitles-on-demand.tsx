import { memo, Suspense } from 'react';
import { useSnapshot } from 'valtio';
import { session } from '#app/state/session.ts';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';
import type { Quadrant } from '#contract/quadrants.ts';
import { chosenTracks } from './chosen-tracks.ts';
import { languageState, subtitleLanguage } from './subtitle-language.ts';

/** Without its file there are none; the menu says what there would be. */
const QuadrantSubtitles = lazyPart(
  async () => (await import('./quadrant-subtitles.tsx')).QuadrantSubtitles,
  () => null,
);

/** Most people want none, and load nothing of them. */
export const SubtitlesOnDemand = memo(function SubtitlesOnDemand({ quadrant }: { quadrant: Quadrant }) {
  const language = subtitleLanguage(useSnapshot(session), useSnapshot(languageState));
  const chosen = useSnapshot(chosenTracks);
  const areWanted = Boolean(language) || Object.keys(chosen).length > 0;
  return <Suspense fallback={null}>{areWanted && <QuadrantSubtitles quadrant={quadrant} />}</Suspense>;
});
