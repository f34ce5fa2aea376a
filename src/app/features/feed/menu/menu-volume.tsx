import { Volume2 } from 'lucide-react';
import type { CSSProperties } from 'react';
import { useSnapshot } from 'valtio';
import { canSetVolume } from '#app/platform/capabilities.ts';
import { playerFacts } from '#app/playback/player/player-store.ts';
import { may } from '#app/state/may.ts';
import { session } from '#app/state/session.ts';
import { Range } from '#app/ui/form/range.tsx';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { setVolume } from '../controls/sound.ts';
import styles from './menu-volume.module.css';

/** The volume, where the row of controls has no room for it and the system lets a page set it. */
export function MenuVolume({ quadrant }: { quadrant: Quadrant }) {
  const { volume } = useSnapshot(playerFacts[quadrant]);
  if (!may('video_controls', useSnapshot(session)) || !canSetVolume()) return null;
  return (
    <div className={styles.volume}>
      <span className={styles.mark}>
        <Volume2 aria-hidden="true" />
      </span>
      <Range
        className={styles.range}
        aria-label="Volume"
        min={limits.volumeMin}
        max={limits.volumeMax}
        step={limits.volumeStep}
        value={volume}
        style={{ '--at': volume / limits.volumeMax } as CSSProperties}
        onChange={(event) => setVolume(quadrant, Number(event.target.value))}
      />
    </div>
  );
}
