import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { quadrants } from '#contract/quadrants.ts';
import shared from './performance-cards.module.css';
import styles from './performance-skeleton.module.css';

/** The cards before their first figures. */
export function PerformanceSkeleton() {
  return (
    <div className={shared.cards}>
      <div className={shared.site}>
        <Skeleton className={styles.tall} />
        <Skeleton className={styles.tall} />
      </div>
      <div className={shared.quadrants}>
        {quadrants.map((quadrant) => (
          <Skeleton key={quadrant} className={styles.tall} />
        ))}
      </div>
    </div>
  );
}
