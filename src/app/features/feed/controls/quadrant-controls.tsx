import { Ellipsis, Maximize2, Minimize2, Pin } from 'lucide-react';
import { memo } from 'react';
import { useSnapshot } from 'valtio';
import { may } from '#app/state/may.ts';
import { session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { useQuadrantFocus } from '../keys/quadrant-focus.ts';
import type { ShortcutAct } from '../keys/shortcuts.ts';
import { keyFor } from '../keys/shortcuts.ts';
import { openQuadrantMenu } from '../menu/quadrant-menu-store.ts';
import { toggleExpanded } from '../quadrant/expansion.ts';
import { feed } from '../quadrant/feed-state.ts';
import { togglePin } from '../quadrant/quadrant-actions.ts';
import { SubtitlesOnDemand } from '../subtitles/subtitles-on-demand.tsx';
import { useDerived } from '../view/derived-hook.ts';
import { ControlButton } from './control-button.tsx';
import { ProgressLine } from './progress-line.tsx';
import styles from './quadrant-controls.module.css';
import { SoundControls } from './sound-controls.tsx';
import { TransportControls } from './transport-controls.tsx';

/** What can be done with one quadrant. Hidden controls are out of the tab order. */
export const QuadrantControls = memo(function QuadrantControls({
  quadrant,
  isActive,
}: {
  quadrant: Quadrant;
  isActive: boolean;
}) {
  const isAllowed = may('video_controls', useSnapshot(session));
  useQuadrantFocus(quadrant, isActive);
  return (
    <>
      <SubtitlesOnDemand quadrant={quadrant} />
      <div className={isActive ? styles.controls : `${styles.controls} ${styles.hidden}`} data-controls>
        <ProgressLine quadrant={quadrant} isShown={isActive} canSeek={isAllowed} />
        <ControlRow quadrant={quadrant} isAllowed={isAllowed} />
      </div>
    </>
  );
});

/** It stays as it is while the controls come and go: a remote's arrow draws nothing of it anew. */
const ControlRow = memo(function ControlRow({ quadrant, isAllowed }: { quadrant: Quadrant; isAllowed: boolean }) {
  const { shown, pinned } = useSnapshot(feed.quadrants[quadrant]);
  const isPinned = pinned !== null;
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
          isOff={!shown}
          hint={hintOf('pin')}
          className={styles.pin}
          onPress={() => togglePin(quadrant)}
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
