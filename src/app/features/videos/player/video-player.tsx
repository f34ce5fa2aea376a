import { LayoutGrid, Share2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { copyTextOf, shareSheet } from '#app/platform/later-capabilities.ts';
import { stepSeconds } from '#app/state/may.ts';
import { session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { OptionsDialog } from '#app/ui/form/options-dialog.tsx';
import { IconButton } from '#app/ui/icon-button.tsx';
import { PlayerModal } from '#app/ui/media/player-modal.tsx';
import { quadrantNames } from '#app/ui/quadrant/quadrant-names.ts';
import { quadrants } from '#contract/quadrants.ts';
import { addressOf, chooseQuadrant, closePlayer, player, playIn } from './player-store.ts';
import styles from './video-player.module.css';

const places = quadrants.map((value) => ({ value, label: quadrantNames[value] }));

/** The chosen video over the view, with its ways into the feed and to other people. */
export function VideoPlayer() {
  const { video, isChoosing } = useSnapshot(player);
  const viewer = useSnapshot(session);
  const own = useSnapshot(settings);
  if (!video) return null;
  const actions = (
    <>
      <IconButton label="Play in..." icon={<LayoutGrid aria-hidden="true" />} onPress={() => chooseQuadrant(true)} />
      <ShareButton address={addressOf(video)} />
    </>
  );
  return (
    <>
      <PlayerModal
        filename={video.filename}
        url={video.url}
        posterUrl={video.poster_url}
        seekStepSeconds={stepSeconds(viewer, own)}
        actions={actions}
        onClose={closePlayer}
      />
      {isChoosing && (
        <OptionsDialog
          title="Play in..."
          options={places}
          value={null}
          onChoose={playIn}
          onClose={() => chooseQuadrant(false)}
        />
      )}
    </>
  );
}

const outcomes = { copied: 'Link copied.', 'not-copied': 'The link could not be copied.' };

/** By the system's dialog where there is one, else by copying the address. */
function ShareButton({ address }: { address: string }) {
  const text = useRef<HTMLSpanElement>(null);
  const [outcome, setOutcome] = useState<keyof typeof outcomes | null>(null);
  const share = async () => {
    const sheet = shareSheet();
    if (sheet) await sheet({ url: address });
    else if (text.current) setOutcome((await copyTextOf(text.current)) ? 'copied' : 'not-copied');
  };
  return (
    <>
      <span role="status" className={styles.outcome}>
        {outcome && outcomes[outcome]}
      </span>
      <span ref={text} className="visually-hidden" aria-hidden="true">
        {address}
      </span>
      <IconButton label="Share" icon={<Share2 aria-hidden="true" />} onPress={() => void share()} />
    </>
  );
}
