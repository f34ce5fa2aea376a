import { Check } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { session } from '#app/state/session.ts';
import { ListBody } from '#app/ui/list/list-body.tsx';
import type { ListFace } from '#app/ui/list/list-state.ts';
import { SquaresLoader } from '#app/ui/loading/squares-loader.tsx';
import { useBackLayer } from '#app/ui/overlay/use-back-layer.ts';
import { quadrantNames } from '#app/ui/quadrant/quadrant-names.ts';
import { resourceFace } from '#app/ui/resource.ts';
import type { SubtitleList } from '#contract/entities/video.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { FeedVideo } from '../quadrant/feed-video.ts';
import { chooseSubtitles } from '../subtitles/choose-subtitles.ts';
import { chosenTracks, trackOf } from '../subtitles/chosen-tracks.ts';
import { languageState, subtitleLanguage } from '../subtitles/subtitle-language.ts';
import { isProcessing, useSubtitleList } from '../subtitles/subtitle-lists.ts';
import { unsupportedWords } from '../subtitles/unsupported-words.ts';
import { MenuPanel } from './menu-panel.tsx';
import styles from './quadrant-menu.module.css';
import { closeQuadrantMenu } from './quadrant-menu-store.ts';

interface Props {
  quadrant: Quadrant;
  video: Pick<FeedVideo, 'id'>;
  /** Back leads to the menu that it was opened from. */
  onBack: () => void;
}

/** The subtitles of a video, and none. What is chosen closes it. */
export function SubtitleMenu({ quadrant, video, onBack }: Props) {
  useBackLayer(onBack);
  const list = useSubtitleList(video.id);
  const state = useSnapshot(list.state) as typeof list.state;
  const language = subtitleLanguage(useSnapshot(session), useSnapshot(languageState));
  const tracks = state.value?.tracks ?? [];
  const shown = trackOf(tracks, video.id, language, useSnapshot(chosenTracks));
  const unsupported = unsupportedWords(state.value?.unsupported ?? []);
  const choose = (track: (typeof tracks)[number] | null) => {
    closeQuadrantMenu();
    chooseSubtitles(video.id, track);
  };
  return (
    <MenuPanel quadrant={quadrant} title={`Subtitles, ${quadrantNames[quadrant].toLowerCase()}`}>
      <div role="radiogroup" aria-label="Subtitles">
        <Choice label="Off" isChosen={shown === null} onChoose={() => choose(null)} />
        {tracks.map((track) => (
          <Choice key={track.url} label={track.label} isChosen={track === shown} onChoose={() => choose(track)} />
        ))}
      </div>
      <ListBody
        face={faceOf(state, tracks.length)}
        failure={state.failure}
        onRetry={() => void list.reload()}
        skeleton={<SquaresLoader className={styles.loader} />}
        empty={<p className={styles.note}>No subtitles</p>}
      >
        {null}
      </ListBody>
      {unsupported !== null && <p className={styles.note}>{unsupported}</p>}
    </MenuPanel>
  );
}

function faceOf(state: Parameters<typeof resourceFace>[0] & { value: SubtitleList | null }, count: number): ListFace {
  if (state.value !== null && isProcessing(state.value)) return 'loading';
  return state.value !== null && count === 0 ? 'empty' : resourceFace(state);
}

interface ChoiceProps {
  label: string;
  isChosen: boolean;
  onChoose: () => void;
}

function Choice({ label, isChosen, onChoose }: ChoiceProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: arrows move the focus to radio inputs and choose them at once
    <button
      type="button"
      role="radio"
      aria-checked={isChosen}
      className={styles.entry}
      data-focus-first={isChosen || undefined}
      onClick={onChoose}
    >
      <span className={styles.mark}>{isChosen && <Check aria-hidden="true" />}</span>
      {label}
    </button>
  );
}
