import { Check } from 'lucide-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { useEffect, useId, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { holdFocus } from '#app/platform/input/focus-scopes.ts';
import { remoteKeyOf } from '#app/platform/input/remote-keys.ts';
import { playerFacts } from '#app/playback/player/player.ts';
import { session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { QuadrantGlyph } from '#app/ui/badge.tsx';
import { quadrantNames } from '#app/ui/glyphs.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import type { ListFace } from '#app/ui/list/list-state.ts';
import { SquaresLoader } from '#app/ui/loading.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import type { AudioTrack, SubtitleList } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { setSpeed } from '../quadrant/player-actions.ts';
import type { FeedVideo } from '../quadrant/quadrant.ts';
import { chosenTracks, languageState, subtitleLanguage, trackOf } from '../subtitles/chosen-tracks.ts';
import {
  chooseAudioTrack,
  chooseSubtitles,
  isProcessing,
  unsupportedWords,
  useSubtitleList,
} from '../subtitles/subtitle-tracks.ts';
import { closeQuadrantMenu } from './controls-store.ts';
import styles from './quadrant-menu.module.css';

interface MenuPanelProps {
  quadrant: Quadrant;
  title: string;
  children: ReactNode;
}

/** A menu over its quadrant; on a phone it opens from below. A press outside closes it. */
export function MenuPanel({ quadrant, title, children }: MenuPanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const titleId = useId();
  useEffect(() => (panel.current ? holdFocus(panel.current) : undefined), []);
  return (
    <>
      <div
        className={styles.outside}
        onClick={closeQuadrantMenu}
        onContextMenu={(event) => event.preventDefault()}
        aria-hidden="true"
      />
      <div
        ref={panel}
        className={styles.menu}
        role="dialog"
        aria-modal="true"
        aria-labelledby={titleId}
        data-of={quadrant}
        data-arrows
        data-focus-wrap
        onKeyDown={stayInside}
      >
        <h2 id={titleId} className={styles.title}>
          <QuadrantGlyph quadrant={quadrant} className={styles.glyph} />
          {title}
        </h2>
        {children}
      </div>
    </>
  );
}

/**
 * Left and right do nothing in the column except on a slider; the key that opened the menu closes
 * it.
 */
function stayInside(event: KeyboardEvent): void {
  const key = remoteKeyOf(event.nativeEvent);
  if (key === 'menu') closeQuadrantMenu();
  const isAside = (key === 'left' || key === 'right') && !(event.target instanceof HTMLInputElement);
  if (key === 'menu' || isAside) event.preventDefault();
}

/** The speeds of a quadrant. A choice closes the menu. */
export function SpeedMenu({ quadrant, onBack }: { quadrant: Quadrant; onBack: () => void }) {
  useBackLayer(onBack);
  const chosen = useSnapshot(playerFacts[quadrant]).speed;
  const choose = (speed: number) => {
    closeQuadrantMenu();
    setSpeed(quadrant, speed);
  };
  return (
    <MenuPanel quadrant={quadrant} title={`Speed, ${quadrantNames[quadrant].toLowerCase()}`}>
      <div role="radiogroup" aria-label="Speed">
        {limits.playbackSpeeds.map((speed) => (
          <Choice key={speed} label={speedText(speed)} isChosen={speed === chosen} onChoose={() => choose(speed)} />
        ))}
      </div>
    </MenuPanel>
  );
}

export function speedText(speed: number): string {
  return speed === 1 ? 'Normal' : `${speed}×`;
}

interface TrackMenuProps {
  quadrant: Quadrant;
  video: Pick<FeedVideo, 'id'>;
  /** Returns to the menu that opened this one. */
  onBack: () => void;
}

/** The subtitles of a video, and Off. A choice closes the menu. */
export function SubtitleMenu({ quadrant, video, onBack }: TrackMenuProps) {
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

interface AudioMenuProps extends Omit<TrackMenuProps, 'video'> {
  video: FeedVideo;
}

/**
 * The audio tracks of a video, those in the language that was chosen last first. A choice closes
 * the menu.
 */
export function AudioMenu({ quadrant, video, onBack }: AudioMenuProps) {
  useBackLayer(onBack);
  const list = useSubtitleList(video.id);
  const tracks = (useSnapshot(list.state) as typeof list.state).value?.audio_tracks ?? [];
  const { audioLanguage } = useSnapshot(settings);
  const isFirst = ({ language }: AudioTrack) => language !== null && language === audioLanguage;
  const ordered = [...tracks.filter(isFirst), ...tracks.filter((track) => !isFirst(track))];
  const choose = (track: AudioTrack) => {
    closeQuadrantMenu();
    void chooseAudioTrack(quadrant, video, track);
  };
  return (
    <MenuPanel quadrant={quadrant} title={`Audio, ${quadrantNames[quadrant].toLowerCase()}`}>
      <div role="radiogroup" aria-label="Audio">
        {ordered.map((track) => (
          <Choice
            key={track.track}
            label={track.label}
            isChosen={video.audioTrack === undefined ? track.is_default : video.audioTrack === track.track}
            onChoose={() => choose(track)}
          />
        ))}
      </div>
    </MenuPanel>
  );
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
