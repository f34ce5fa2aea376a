import { FastForward, Maximize, Pause, Play, Rewind, Volume2, VolumeX } from 'lucide-react';
import type { KeyboardEvent, ReactNode, RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';
import { canSetVolume } from '#app/platform/later-capabilities.ts';
import { limits } from '#contract/limits.ts';
import { clockText } from '#contract/rules/text.ts';
import { remoteKeyOf } from '../../platform/input/remote-keys.ts';
import { canFillScreen, leaveFullScreen, toggleFullScreen } from '../../platform/later-capabilities.ts';
import { IconButton } from '../button.tsx';
import { Range } from '../form/range.tsx';
import styles from './player-controls.module.css';

interface Props {
  video: RefObject<HTMLVideoElement | null>;
  facts: ControlFacts;
  actions: ReactNode;
  /** Seeks by the viewer's step. */
  step: (direction: -1 | 1) => void;
  onPlay: () => void;
  onPause: () => void;
}

/** Seek bar, play, seek, sound and full-screen controls of one video. */
export function PlayerControls({ video, facts, actions, step, onPlay, onPause }: Props) {
  const togglePlaying = facts.isPaused ? onPlay : onPause;
  useEffect(() => () => void leaveFullScreen().catch(() => {}), []);
  useMediaKeys({
    'play-pause': togglePlaying,
    play: onPlay,
    pause: onPause,
    rewind: () => step(-1),
    forward: () => step(1),
  });
  return (
    <div className={styles.controls}>
      <PlayerTimeline video={video} onStep={step} />
      <div className={styles.row} data-focus-region>
        <PlayButton isPaused={facts.isPaused} onPress={togglePlaying} />
        <IconButton label="Seek back" icon={<Rewind aria-hidden="true" />} onPress={() => step(-1)} />
        <IconButton label="Seek forward" icon={<FastForward aria-hidden="true" />} onPress={() => step(1)} />
        <SoundControls video={video} facts={facts} />
        <span className={styles.last}>
          {actions}
          {canFillScreen() && (
            <IconButton
              label="Full screen"
              icon={<Maximize aria-hidden="true" />}
              onPress={() => void toggleFullScreen()}
            />
          )}
        </span>
      </div>
    </div>
  );
}

/** Key and remote focus starts here. */
function PlayButton({ isPaused, onPress }: { isPaused: boolean; onPress: () => void }) {
  const icon: ReactNode = isPaused ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />;
  return (
    <span data-focus-first>
      <IconButton label={isPaused ? 'Play' : 'Pause'} icon={icon} onPress={onPress} />
    </span>
  );
}

function SoundControls({ video, facts: { isMuted, volume } }: Pick<Props, 'video' | 'facts'>) {
  const change = (wanted: Partial<Pick<HTMLVideoElement, 'muted' | 'volume'>>) =>
    video.current && Object.assign(video.current, wanted);
  return (
    <>
      <IconButton
        label={isMuted ? 'Unmute' : 'Mute'}
        icon={isMuted ? <VolumeX aria-hidden="true" /> : <Volume2 aria-hidden="true" />}
        onPress={() => change({ muted: !isMuted })}
      />
      {canSetVolume() && (
        <Range
          className={styles.volume}
          aria-label="Volume"
          min={limits.volumeMin}
          max={limits.volumeMax}
          step={limits.volumeStep}
          value={volume}
          style={{ '--at': volume / limits.volumeMax } as React.CSSProperties}
          onChange={(event) => change({ volume: Number(event.target.value), muted: false })}
        />
      )}
    </>
  );
}

/** Handles a remote's media keys wherever the focus is. */
function useMediaKeys(actions: Record<string, () => void>): void {
  useEffect(() => {
    const handleKey = (event: globalThis.KeyboardEvent) => {
      const action = event.defaultPrevented ? undefined : actions[remoteKeyOf(event) ?? ''];
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', handleKey);
    return () => window.removeEventListener('keydown', handleKey);
  });
}

interface PlayerTimelineProps {
  video: RefObject<HTMLVideoElement | null>;
  /** Called for the left and right keys, in place of the browser's step. */
  onStep: (direction: -1 | 1) => void;
}

const directions: Record<string, -1 | 1> = { ArrowLeft: -1, ArrowRight: 1 };

/** The seek bar and the time, which are updated four times a second without rendering. */
function PlayerTimeline({ video, onStep }: PlayerTimelineProps) {
  const line = useRef<HTMLInputElement>(null);
  const text = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (video.current && line.current && text.current) return writeTime(video.current, line.current, text.current);
  }, [video]);
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = directions[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    onStep(direction);
  };
  return (
    <div className={styles.timeline}>
      <Range
        ref={line}
        className={styles.line}
        aria-label="Seek"
        min={0}
        max={1}
        step="any"
        defaultValue={0}
        data-keeps-arrows
        onKeyDown={onKeyDown}
      />
      <span ref={text} className={styles.time} />
    </div>
  );
}

/**
 * Shows the position as it changes, and seeks when the thumb is released. Returns a function that
 * stops it.
 */
function writeTime(video: HTMLVideoElement, line: HTMLInputElement, text: HTMLElement): () => void {
  let isDragged = false;
  const write = () => {
    if (!isDragged) show(video.currentTime);
  };
  const drag = () => {
    isDragged = true;
    show(Number(line.value));
  };
  const drop = () => {
    isDragged = false;
    if (Number.isFinite(video.duration)) video.currentTime = Number(line.value);
  };
  const show = (position: number) => {
    const isKnown = Number.isFinite(video.duration) && video.duration > 0;
    line.disabled = !isKnown;
    line.max = String(isKnown ? video.duration : 1);
    line.value = String(isKnown ? position : 0);
    line.style.setProperty('--at', String(isKnown ? Math.min(1, position / video.duration) : 0));
    text.textContent = `${clockText(isKnown ? position : Number.NaN)} / ${clockText(video.duration)}`;
    line.setAttribute('aria-valuetext', text.textContent);
  };
  const events = ['timeupdate', 'durationchange', 'seeking', 'emptied'];
  for (const event of events) video.addEventListener(event, write);
  line.addEventListener('input', drag);
  line.addEventListener('change', drop);
  write();
  return () => {
    for (const event of events) video.removeEventListener(event, write);
    line.removeEventListener('input', drag);
    line.removeEventListener('change', drop);
  };
}

export interface ControlFacts {
  isPaused: boolean;
  isMuted: boolean;
  /** 0 to 1. */
  volume: number;
  /** Playback waits for data or for a decoder. */
  isWaiting: boolean;
  hasFailed: boolean;
  hasEnded: boolean;
}

const events = [
  'play',
  'playing',
  'pause',
  'waiting',
  'loadeddata',
  'volumechange',
  'error',
  'ended',
  'emptied',
  'loadstart',
] as const;

const unknown: ControlFacts = {
  isPaused: true,
  isMuted: false,
  volume: 1,
  isWaiting: true,
  hasFailed: false,
  hasEnded: false,
};

/**
 * The state of a video element that controls show. The time is written outside React
 * (`PlayerTimeline`).
 */
export function useVideoFacts(video: RefObject<HTMLVideoElement | null>): ControlFacts {
  const [facts, setFacts] = useState(unknown);
  useEffect(() => {
    const element = video.current;
    if (!element) return;
    const read = () => setFacts(readFacts(element));
    for (const event of events) element.addEventListener(event, read);
    read();
    return () => {
      for (const event of events) element.removeEventListener(event, read);
    };
  }, [video]);
  return facts;
}

function readFacts(video: HTMLVideoElement): ControlFacts {
  return {
    isPaused: video.paused,
    isMuted: video.muted,
    volume: video.volume,
    isWaiting:
      video.readyState < (video.paused ? HTMLMediaElement.HAVE_CURRENT_DATA : HTMLMediaElement.HAVE_FUTURE_DATA),
    hasFailed: video.error != null,
    hasEnded: video.ended,
  };
}
