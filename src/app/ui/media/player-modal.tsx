import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { SquaresLoader } from '../loading/squares-loader.tsx';
import { Modal } from '../overlay/modal.tsx';
import { useBackLayer } from '../overlay/use-back-layer.ts';
import { ModalVideo, seekBy } from './modal-video.ts';
import { PlayerControls } from './player-controls.tsx';
import styles from './player-modal.module.css';
import { usePlayerSession } from './use-player-session.ts';
import type { VideoFacts } from './use-video-facts.ts';
import { useVideoFacts } from './use-video-facts.ts';

interface Props {
  filename: string;
  /** The address that streams the video. */
  url: string;
  posterUrl?: string | null;
  /** More buttons, before the one for full screen. */
  actions?: ReactNode;
  /** The viewer's own step where there is one. */
  seekStepSeconds?: number;
  onClose: () => void;
}

/**
 * One video over the page (§2 Videos, Video Tagging): closed by the X, the backdrop, Escape, Back and the end of the
 * video.
 */
export function PlayerModal({
  filename,
  url,
  posterUrl = null,
  actions,
  seekStepSeconds = limits.seekStepSeconds,
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
    if (facts.hasEnded) onClose();
  }, [facts.hasEnded, onClose]);
  const step = (direction: -1 | 1) => {
    if (element.current) seekBy(element.current, direction * seekStepSeconds);
  };
  usePlayerSession({ title: filename, artworkUrl: posterUrl, isPlaying: !facts.isPaused, player, step });
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
    <Modal title={filename} size="player" onClose={onClose} foot={controls}>
      <div className={styles.screen}>
        <video
          ref={element}
          className={styles.video}
          playsInline
          preload="auto"
          {...(posterUrl === null ? {} : { poster: posterUrl })}
        />
        <Message facts={facts} />
      </div>
    </Modal>
  );
}

function Message({ facts: { hasFailed, isWaiting } }: { facts: VideoFacts }) {
  if (hasFailed) {
    return (
      <p className={styles.message} role="alert">
        <CircleAlert aria-hidden="true" />
        {failures.loadVideo}
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
