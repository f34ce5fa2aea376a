import { mediaSession } from '#app/platform/later-capabilities.ts';

/** The video that the lock screen shows, and that headset and media keys control. */
export interface NowPlaying {
  title: string;
  /** The URL of a poster; null when there is none. */
  artworkUrl?: string | null;
}

const actionNames = ['play', 'pause', 'nexttrack', 'previoustrack', 'seekbackward', 'seekforward'] as const;

export type MediaActions = Partial<Record<(typeof actionNames)[number], () => void>>;

/**
 * Updates the media session. Must be called at each change of what is playing. An absent action is
 * removed.
 */
export function showInMediaSession({ title, artworkUrl }: NowPlaying, isPlaying: boolean, actions: MediaActions): void {
  const session = mediaSession();
  if (!session) return;
  session.metadata = new MediaMetadata({
    title,
    artist: 'Fourfold',
    ...(artworkUrl && { artwork: [{ src: artworkUrl }] }),
  });
  session.playbackState = isPlaying ? 'playing' : 'paused';
  setActions(session, actions);
}

/** Clears the media session when no audible video plays any more. */
export function clearMediaSession(): void {
  const session = mediaSession();
  if (!session) return;
  session.metadata = null;
  session.playbackState = 'none';
  setActions(session, {});
}

function setActions(session: MediaSession, actions: MediaActions): void {
  for (const name of actionNames) {
    try {
      session.setActionHandler(name, actions[name] ?? null);
    } catch {
      // The engine does not know this action: its key has no effect.
    }
  }
}
