import type { RefObject } from 'react';
import { useEffect } from 'react';
import type { NowPlaying } from '../../platform/media-session.ts';
import { clearMediaSession, showInMediaSession } from '../../platform/media-session.ts';
import type { ModalVideo } from './modal-video.ts';

interface Deps extends NowPlaying {
  isPlaying: boolean;
  player: RefObject<ModalVideo | null>;
  step: (direction: -1 | 1) => void;
}

/** Lock screen, headset and media keys show and drive the modal's video while it is open. */
export function usePlayerSession({ title, artworkUrl = null, isPlaying, player, step }: Deps): void {
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
