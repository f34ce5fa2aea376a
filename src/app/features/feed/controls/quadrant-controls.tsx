import {
  Ellipsis,
  FastForward,
  Maximize2,
  Minimize2,
  Pin,
  Rewind,
  SkipBack,
  SkipForward,
  Volume2,
  VolumeX,
} from 'lucide-react';
import type { RefObject } from 'react';
import { memo, Suspense, useEffect, useLayoutEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { enterLevel } from '#app/platform/input/remote-focus.ts';
import { canSetVolume, shake } from '#app/platform/later-capabilities.ts';
import { playerFacts, playerOf } from '#app/playback/player/player.ts';
import { may, stepSeconds } from '#app/state/may.ts';
import { session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { QuadrantGlyph } from '#app/ui/badge.tsx';
import { lazyPart } from '#app/ui/loading.tsx';
import { useDerived } from '#app/ui/store-hooks.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { clockText, durationText } from '#contract/rules/text.ts';
import type { ShortcutAct } from '../feed-keys.ts';
import { keyFor } from '../feed-keys.ts';
import { feed, toggleExpanded } from '../feed-state.ts';
import { seekBy, seekTo, setVolume, toggleMute } from '../quadrant/player-actions.ts';
import { skipByPointer } from '../quadrant/quadrant-gestures.tsx';
import { skipBack, togglePin } from '../quadrant/quadrant-machine.ts';
import { hearOnly } from '../quadrant/sound.ts';
import { chosenTracks, languageState, subtitleLanguage } from '../subtitles/chosen-tracks.ts';
import { ControlButton, Slider } from './control-button.tsx';
import { controls, openQuadrantMenu, sectionOf } from './controls-store.ts';
import styles from './quadrant-controls.module.css';

/** The controls of one quadrant. Hidden controls are out of the tab order. */
export const QuadrantControls = memo(function QuadrantControls({ quadrant }: { quadrant: Quadrant }) {
  const isActive = useDerived(controls, () => controls.active === quadrant);
  const isAllowed = may('video_controls', useSnapshot(session));
  useQuadrantFocus(quadrant, isActive);
  return (
    <>
      <SubtitlesOnDemand quadrant={quadrant} />
      <div className={isActive ? styles.controls : `${styles.controls} ${styles.hidden}`} data-controls>
        <ProgressLine quadrant={quadrant} canSeek={isAllowed} />
        <ControlRow quadrant={quadrant} isAllowed={isAllowed} />
      </div>
    </>
  );
});

/**
 * Memoized apart from the visibility of the controls: moving the focus between quadrants does not
 * render it again.
 */
const ControlRow = memo(function ControlRow({ quadrant, isAllowed }: { quadrant: Quadrant; isAllowed: boolean }) {
  const state = feed.quadrants[quadrant];
  const hasVideo = useDerived(state, () => state.shown !== null);
  const isPinned = useDerived(state, () => state.pinned !== null);
  const isExpanded = useDerived(feed, () => feed.expanded === quadrant);
  const { areShortcutsOn } = useSnapshot(settings);
  const hintOf = (act: ShortcutAct) => (areShortcutsOn ? keyFor(quadrant, act) : undefined);

  return (
    <div className={styles.row}>
      {isAllowed && <TransportControls quadrant={quadrant} hintOf={hintOf} />}
      <span className={styles.space} />
      {isAllowed && (
        <ControlButton
          label={isPinned ? 'Unpin' : 'Pin'}
          icon={<Pin />}
          isOn={isPinned}
          isOff={!hasVideo}
          hint={hintOf('pin')}
          className={styles.pin}
          onPress={() => {
            togglePin(quadrant);
            shake();
          }}
        />
      )}
      <ControlButton
        label={isExpanded ? 'Back to the grid' : 'Expand'}
        icon={isExpanded ? <Minimize2 /> : <Maximize2 />}
        isFirst={!isAllowed}
        className={styles.expand}
        onPress={() => toggleExpanded(quadrant)}
      />
      <ControlButton
        label="More"
        icon={<Ellipsis />}
        className={styles.more}
        onPress={() => openQuadrantMenu(quadrant)}
      />
      {isAllowed && (
        <SoundControls
          quadrant={quadrant}
          hint={hintOf('mute')}
          buttonClass={styles.mute}
          sliderClass={styles.volume}
        />
      )}
    </div>
  );
});

interface TransportProps {
  quadrant: Quadrant;
  hintOf: (act: ShortcutAct) => string | undefined;
}

/** Skip and seek buttons. */
function TransportControls({ quadrant, hintOf }: TransportProps) {
  const state = feed.quadrants[quadrant];
  const isPinned = useDerived(state, () => state.pinned !== null);
  const hasPast = useDerived(state, () => state.past.length > 0);
  const skipTip = isPinned ? 'Unpin to skip' : undefined;
  const step = durationText(stepSeconds(useSnapshot(session), useSnapshot(settings)));
  return (
    <>
      <ControlButton
        label="Skip back"
        tip={skipTip}
        icon={<SkipBack />}
        isOff={isPinned || !hasPast}
        onPress={() => skipBack(quadrant)}
      />
      <ControlButton
        label={`Seek back ${step}`}
        icon={<Rewind />}
        hint={hintOf('seek-back')}
        onPress={() => seekBy(quadrant, -1)}
      />
      <ControlButton
        label={`Seek forward ${step}`}
        icon={<FastForward />}
        hint={hintOf('seek-forward')}
        onPress={() => seekBy(quadrant, 1)}
      />
      <ControlButton
        label="Skip"
        tip={skipTip}
        icon={<SkipForward />}
        isOff={isPinned}
        isFirst
        onPress={() => skipByPointer(quadrant)}
      />
    </>
  );
}

interface SoundProps {
  quadrant: Quadrant;
  hint: string | undefined;
  buttonClass: string | undefined;
  sliderClass: string | undefined;
}

/** The mute button, and the volume slider where the system lets a page set the volume. */
function SoundControls({ quadrant, hint, buttonClass, sliderClass }: SoundProps) {
  const { isMuted, volume } = useSnapshot(playerFacts[quadrant]);
  return (
    <>
      <ControlButton
        label={isMuted ? 'Unmute' : 'Mute'}
        icon={isMuted ? <VolumeX /> : <Volume2 />}
        hint={hint}
        className={buttonClass}
        onPress={() => toggleMute(quadrant)}
        onHold={() => hearOnly(quadrant)}
      />
      {canSetVolume() && (
        <Slider
          label="Volume"
          className={sliderClass}
          max={limits.volumeMax}
          step={limits.volumeStep}
          value={volume}
          onMove={(wished) => setVolume(quadrant, wished)}
        />
      )}
    </>
  );
}

interface ProgressLineProps {
  quadrant: Quadrant;
  canSeek: boolean;
}

/** If the file does not load, seeking works without a preview. */
const SeekPreview = lazyPart(
  async () => (await import('./seek-preview.tsx')).SeekPreview,
  () => null,
);

/**
 * Filename, time, and the seek bar. Memoized apart from the visibility of the controls, as
 * `ControlRow` is.
 */
const ProgressLine = memo(function ProgressLine({ quadrant, canSeek }: ProgressLineProps) {
  const { shown } = useSnapshot(feed.quadrants[quadrant]);
  const line = useRef<HTMLInputElement>(null);
  const time = useRef<HTMLSpanElement>(null);
  return (
    <>
      <ProgressWriter quadrant={quadrant} line={line} time={time} />
      <div className={styles.words}>
        <QuadrantGlyph quadrant={quadrant} className={styles.glyph} />
        <bdi className={styles.filename}>{shown?.title}</bdi>
        <span ref={time} className={styles.time} />
        {shown?.storyboard && canSeek && (
          <Suspense fallback={null}>
            <SeekPreview
              key={shown.id}
              quadrant={quadrant}
              line={line}
              sheet={shown.storyboard}
              durationSeconds={shown.durationSeconds}
            />
          </Suspense>
        )}
      </div>
      <div className={styles.line}>
        <Slider
          label="Seek"
          isOff={!canSeek}
          ref={line}
          className={styles.seek}
          onStep={(direction) => seekBy(quadrant, direction)}
        />
      </div>
    </>
  );
});

interface ProgressWriterProps {
  quadrant: Quadrant;
  line: RefObject<HTMLInputElement | null>;
  time: RefObject<HTMLElement | null>;
}

/** Updates the time and the slider while the controls are shown. Renders nothing. */
function ProgressWriter({ quadrant, line, time }: ProgressWriterProps): null {
  const isShown = useDerived(controls, () => controls.active === quadrant);
  useEffect(() => {
    if (isShown && line.current && time.current) return writeProgress(quadrant, line.current, time.current);
  }, [quadrant, isShown, line, time]);
  return null;
}

/**
 * Writes position and duration of a quadrant's video to the DOM four times a second, outside React,
 * and seeks when the thumb is released. Returns a function that stops it.
 */
function writeProgress(quadrant: Quadrant, line: HTMLInputElement, text: HTMLElement): () => void {
  const player = playerOf(quadrant);
  let isDragged = false;
  const write = () => isDragged || show(line, text, player.position, player.duration);
  const drag = () => {
    isDragged = true;
    show(line, text, Number(line.value), player.duration);
  };
  const drop = () => {
    isDragged = false;
    seekTo(quadrant, Number(line.value));
  };
  line.addEventListener('input', drag);
  line.addEventListener('change', drop);
  const stopHearing = player.onTime(write);
  write();
  return () => {
    stopHearing();
    line.removeEventListener('input', drag);
    line.removeEventListener('change', drop);
  };
}

function show(line: HTMLInputElement, text: HTMLElement, position: number, duration: number): void {
  const isKnown = Number.isFinite(duration) && duration > 0;
  line.max = String(isKnown ? duration : 1);
  line.value = String(isKnown ? position : 0);
  line.style.setProperty('--at', String(isKnown ? Math.min(1, position / duration) : 0));
  const words = `${clockText(isKnown ? position : Number.NaN)} / ${clockText(duration)}`;
  if (text.textContent === words) return;
  text.textContent = words;
  line.setAttribute('aria-valuetext', words);
}

/**
 * Moves the focus with the controls: to the first control on OK, even if the controls are rendered
 * later, and back to the quadrant when they are left or hidden.
 */
function useQuadrantFocus(quadrant: Quadrant, isActive: boolean): void {
  const isEntered = useDerived(controls, () => controls.entered === quadrant);
  const wasEntered = useRef(false);
  useLayoutEffect(() => {
    const section = sectionOf(quadrant);
    if (!section) return;
    if (isEntered && !wasEntered.current) enterLevel(section);
    const isLeft = wasEntered.current && !isEntered;
    wasEntered.current = isEntered;
    if ((isLeft || !isActive) && section.contains(document.activeElement)) section.focus({ preventScroll: true });
  }, [quadrant, isActive, isEntered]);
}

/** If the file does not load, no subtitles are shown; the menu still lists them. */
const QuadrantSubtitles = lazyPart(
  async () => (await import('../subtitles/quadrant-subtitles.tsx')).QuadrantSubtitles,
  () => null,
);

/** Loads the subtitles only for viewers who want them, because most want none. */
const SubtitlesOnDemand = memo(function SubtitlesOnDemand({ quadrant }: { quadrant: Quadrant }) {
  const language = subtitleLanguage(useSnapshot(session), useSnapshot(languageState));
  const chosen = useSnapshot(chosenTracks);
  const areWanted = Boolean(language) || Object.keys(chosen).length > 0;
  return <Suspense fallback={null}>{areWanted && <QuadrantSubtitles quadrant={quadrant} />}</Suspense>;
});
