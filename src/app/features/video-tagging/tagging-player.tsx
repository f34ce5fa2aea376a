import { useSnapshot } from 'valtio';
import { stepSeconds } from '#app/state/may.ts';
import { session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { PlayerModal } from '#app/ui/media/player-modal.tsx';
import { closePlayer, player } from './player-store.ts';

/** The video that plays over the screen, if one does. */
export function TaggingPlayer() {
  const { video } = useSnapshot(player);
  const viewer = useSnapshot(session);
  const own = useSnapshot(settings);
  if (video === null) return null;
  return (
    <PlayerModal
      filename={video.filename}
      url={video.url}
      posterUrl={video.poster_url}
      seekStepSeconds={stepSeconds(viewer, own)}
      onClose={closePlayer}
    />
  );
}
