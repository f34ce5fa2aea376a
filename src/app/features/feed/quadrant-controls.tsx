import { SkipForward } from 'lucide-react';
import { IconButton } from '#app/ui/icon-button.tsx';
import styles from './quadrant-controls.module.css';

interface Props {
  filename: string | undefined;
  isAwake: boolean;
  onSkip: () => void;
}

/** Hidden controls are out of the tab order. */
export function QuadrantControls({ filename, isAwake, onSkip }: Props) {
  return (
    <div className={isAwake ? styles.controls : `${styles.controls} ${styles.asleep}`}>
      <p className={styles.filename}>{filename}</p>
      <div className={styles.row}>
        <IconButton label="Skip" icon={<SkipForward />} onPress={onSkip} className={styles.tile} />
      </div>
    </div>
  );
}
