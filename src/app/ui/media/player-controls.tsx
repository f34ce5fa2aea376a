import { FastForward, Maximize, Pause, Play, Rewind, Volume2, VolumeX } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { useEffect } from 'react';
import { limits } from '#contract/limits.ts';
import { canSetVolume } from '../../platform/capabilities.ts';
import { remoteKeyOf } from '../../platform/input/remote-keys.ts';
import { canFillScreen, toggleFullScreen } from '../../platform/later-capabilities.ts';
import { Range } from '../form/range.tsx';
import { IconButton } from '../icon-button.tsx';
import styles from './player-controls.module.css';
import { PlayerTimeline } from './player-timeline.tsx';
import type { VideoFacts } from './use-video-facts.ts';

interface Props {
  video: RefObject<HTMLVideoElement | null>;
  facts: VideoFacts;
  actions: ReactNode;
  /** Seeks by the viewer's step. */
  step: (direction: -1 | 1) => void;
  onPlay: () => void;
  onPause: () => void;
}

/** Time line, play, seek, sound and full screen of one video. */
export function PlayerControls({ video, facts, actions, step, onPlay, onPause }: Props) {
  const togglePlaying = facts.isPaused ? onPlay : onPause;
  const fillScreen = () => {
    const dialog = video.current?.closest<HTMLElement>('[role="dialog"]');
    if (dialog) void toggleFullScreen(dialog);
  };
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
            <IconButton label="Full screen" icon={<Maximize aria-hidden="true" />} onPress={fillScreen} />
          )}
        </span>
      </div>
    </div>
  );
}

/** Keys and remotes start here. */
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

/** The keys of a remote that are for the video wherever the focus is. */
function useMediaKeys(actions: Record<string, () => void>): void {
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      const action = event.defaultPrevented ? undefined : actions[remoteKeyOf(event) ?? ''];
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', handleKey);
    return () => window.removeEventListener('keydown', handleKey);
  });
}
