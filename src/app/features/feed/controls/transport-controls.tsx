import { FastForward, Rewind, SkipBack, SkipForward } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { stepSeconds } from '#app/state/may.ts';
import { session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { durationText } from '#contract/rules/duration.ts';
import type { ShortcutAct } from '../keys/shortcuts.ts';
import { feed } from '../quadrant/feed-state.ts';
import { skip, skipBack } from '../quadrant/quadrant-actions.ts';
import { ControlButton } from './control-button.tsx';
import { seekBy } from './seek.ts';

interface Props {
  quadrant: Quadrant;
  hintOf: (act: ShortcutAct) => string | undefined;
}

/** Other videos, and other times in this one. */
export function TransportControls({ quadrant, hintOf }: Props) {
  const { past, pinned } = useSnapshot(feed.quadrants[quadrant]);
  const isPinned = pinned !== null;
  const skipTip = isPinned ? 'Unpin to skip' : undefined;
  const step = durationText(stepSeconds(useSnapshot(session), useSnapshot(settings)));
  return (
    <>
      <ControlButton
        label="Skip back"
        tip={skipTip}
        icon={<SkipBack />}
        isOff={isPinned || past.length === 0}
        onPress={() => skipBack(quadrant)}
      />
      <ControlButton
        label={`Seek back ${step}`}
        icon={<Rewind />}
        hint={hintOf('seek-back')}
        onPress={() => seekBy(quadrant, -1)}
      />
      <ControlButton
        label={`Seek forward ${step}`}
        icon={<FastForward />}
        hint={hintOf('seek-forward')}
        onPress={() => seekBy(quadrant, 1)}
      />
      <ControlButton
        label="Skip"
        tip={skipTip}
        icon={<SkipForward />}
        isOff={isPinned}
        isFirst
        onPress={() => skip(quadrant)}
      />
    </>
  );
}
