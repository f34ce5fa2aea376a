import { Swatch } from '#app/ui/card/swatch.tsx';
import type { Channel } from '../browse-store.ts';
import styles from './channel-chip.module.css';

interface Props {
  channel: Readonly<Channel>;
  isOn: boolean;
  onPress: () => void;
}

/** A channel to choose, with the number of its videos. */
export function ChannelChip({ channel: { name, color, video_count }, isOn, onPress }: Props) {
  return (
    <button type="button" className={styles.chip} aria-pressed={isOn} onClick={onPress}>
      <Swatch color={color} />
      <span className={styles.name}>{name}</span>
      <span className={styles.count}>
        {video_count}
        <span className="visually-hidden"> {video_count === 1 ? 'video' : 'videos'}</span>
      </span>
    </button>
  );
}
