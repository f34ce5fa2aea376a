import { CircleAlert, EyeOff, Flag } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { useEffect, useRef } from 'react';
import { limits } from '#contract/limits.ts';
import { seekTarget } from '#contract/rules/settings.ts';
import { startFailures } from '#contract/start.ts';
import type { NowPlaying } from '../../platform/media-session.ts';
import { clearMediaSession, showInMediaSession } from '../../platform/media-session.ts';
import { IconButton } from '../button.tsx';
import { SquaresLoader } from '../loading.tsx';
import { Modal } from '../modal.tsx';
import { useBackLayer } from '../store-hooks.ts';
import { LeasedVideo } from './leased-video.ts';
import type { ControlFacts } from './player-controls.tsx';
import { PlayerControls, useVideoFacts } from './player-controls.tsx';
import styles from './player-modal.module.css';

interface Props {
  title: string;
  /** Stream URL of the video. */
  url: string;
  posterUrl?: string | null;
  /** Further buttons, before the one for full screen. */
  actions?: ReactNode;
  /** The viewer's own step, if any. */
  seekStepSeconds?: number;
  /** Called when frames come to the screen, also after a pause. */
  onPlaying?: () => void;
  onClose: () => void;
}

/**
 * One video in a modal (§2 Videos, Video Tagging). It is closed by the X, the backdrop, Escape,
 * Back and the end of the video.
 */
export function PlayerModal({
  title,
  url,
  posterUrl = null,
  actions,
  seekStepSeconds = limits.seekStepSeconds,
  onPlaying,
  onClose,
}: Props) {
  useBackLayer(onClose);
  const element = useRef<HTMLVideoElement>(null);
  const player = useRef<ModalVideo>(null);
  useEffect(() => {
    if (!element.current) return;
    const opened = new ModalVideo(element.current, url);
    player.current = opened;
    return () => opened.close();
  }, [url]);
  const facts = useVideoFacts(element);
  useEffect(() => {
    // A dialog over the player, in which somebody may be typing, would be closed with it.
    if (facts.hasEnded && !isCovered(element.current)) onClose();
  }, [facts.hasEnded, onClose]);
  const step = (direction: -1 | 1) => {
    if (element.current) seekBy(element.current, direction * seekStepSeconds);
  };
  usePlayerSession({ title, artworkUrl: posterUrl, isPlaying: !facts.isPaused, player, step });
  const controls = (
    <PlayerControls
      video={element}
      facts={facts}
      actions={actions}
      step={step}
      onPlay={() => player.current?.play()}
      onPause={() => player.current?.pause()}
    />
  );
  return (
    <Modal title={title} size="player" onClose={onClose} foot={controls}>
      <div className={styles.screen}>
        <video
          ref={element}
          className={styles.video}
          playsInline
          preload="auto"
          onPlaying={onPlaying}
          {...(posterUrl === null ? {} : { poster: posterUrl })}
        />
        <Message facts={facts} />
      </div>
    </Modal>
  );
}

/** Whether another dialog than that of the video holds the focus. */
function isCovered(video: HTMLVideoElement | null): boolean {
  const dialogs = '[role="dialog"], [role="alertdialog"]';
  const top = document.activeElement?.closest(dialogs) ?? null;
  return top !== null && top !== video?.closest(dialogs);
}

function Message({ facts: { hasFailed, isWaiting } }: { facts: ControlFacts }) {
  if (hasFailed) {
    return (
      <p className={styles.message} role="alert">
        <CircleAlert aria-hidden="true" />
        {startFailures.loadVideo}
      </p>
    );
  }
  if (!isWaiting) return null;
  return (
    <p className={styles.message} role="status">
      <SquaresLoader className={styles.loader} />
      Loading video...
    </p>
  );
}

/**
 * Plays a modal's video. It takes precedence over quadrants and previews, and resumes by itself
 * when it gets a decoder back.
 */
class ModalVideo {
  private readonly element: HTMLVideoElement;
  private readonly leased: LeasedVideo;
  private isWanted = true;

  constructor(element: HTMLVideoElement, url: string) {
    this.element = element;
    this.leased = new LeasedVideo({
      element,
      url,
      at: 0,
      priority: 'modal',
      needs: ['decoder', 'connection', 'sound'],
      onAttach: () => this.resume(),
    });
    this.leased.open();
  }

  play(): void {
    this.isWanted = true;
    this.resume();
  }

  pause(): void {
    this.isWanted = false;
    this.element.pause();
  }

  close(): void {
    this.leased.close();
  }

  private resume(): void {
    if (!this.isWanted || !this.leased.isHeld) return;
    this.element.play().catch((refusal: Error) => {
      // Any other rejection is an abort by a new source, or is reported as an error event as well.
      if (refusal.name === 'NotAllowedError') this.isWanted = false;
    });
  }
}

/** Ignored while the duration is unknown (§5 Seeking). */
function seekBy(video: HTMLVideoElement, seconds: number): void {
  const target = seekTarget(video.currentTime, seconds, video.duration);
  if (target !== null) video.currentTime = target;
}

interface Deps extends NowPlaying {
  isPlaying: boolean;
  player: RefObject<ModalVideo | null>;
  step: (direction: -1 | 1) => void;
}

/** Connects lock screen, headset and media keys to the modal's video while it is open. */
function usePlayerSession({ title, artworkUrl = null, isPlaying, player, step }: Deps): void {
  useEffect(() =>
    showInMediaSession({ title, artworkUrl }, isPlaying, {
      play: () => player.current?.play(),
      pause: () => player.current?.pause(),
      seekbackward: () => step(-1),
      seekforward: () => step(1),
    }),
  );
  useEffect(() => clearMediaSession, []);
}

interface ActsProps {
  onReport: () => void;
  /** Null for viewers who may not hide videos. */
  onHide: (() => void) | null;
}

/** The buttons of a player by which its video is reported, and hidden by administrators. */
export function VideoActButtons({ onReport, onHide }: ActsProps) {
  return (
    <>
      <IconButton label="Report" icon={<Flag aria-hidden="true" />} onPress={onReport} />
      {onHide && <IconButton label="Hide video" icon={<EyeOff aria-hidden="true" />} onPress={onHide} />}
    </>
  );
}
