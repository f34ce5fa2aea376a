import { Move } from 'lucide-react';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import styles from './remote-legend.module.css';

/** Above all four while the ring moves: what the keys of a remote do. */
export function RemoteLegend() {
  return (
    <div className={styles.legend} aria-hidden="true">
      <span className={styles.item}>
        <b className={styles.key}>OK</b>
        Controls
      </span>
      <span className={styles.item}>
        <b className={styles.key}>
          <Move />
        </b>
        Choose a quadrant
      </span>
      <span className={styles.item}>
        {quadrants.map((quadrant) => (
          <i key={quadrant} className={`${styles.colour} ${colours[quadrant]}`} />
        ))}
        Jump
      </span>
    </div>
  );
}

const colours: Record<Quadrant, string | undefined> = {
  'top-left': styles.red,
  'top-right': styles.green,
  'bottom-left': styles.yellow,
  'bottom-right': styles.blue,
};
