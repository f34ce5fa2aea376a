import { mediaSession } from './capabilities.ts';

/** What the lock screen, a headset's keys and a keyboard's media keys show and drive. */
export interface NowPlaying {
  title: string;
  /** Address of a poster; null where there is none. */
  artworkUrl?: string | null;
}

const actionNames = ['play', 'pause', 'nexttrack', 'previoustrack', 'seekbackward', 'seekforward'] as const;

export type MediaActions = Partial<Record<(typeof actionNames)[number], () => void>>;

/** To be called again with each change of what is playing. An absent action is removed. */
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

/** Nothing with sound plays any more. */
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
      // An engine that does not know this action yet: its key does nothing here.
    }
  }
}
