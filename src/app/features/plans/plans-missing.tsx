import { CircleAlert } from 'lucide-react';
import { Banner } from '#app/ui/banner.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import * as failures from '#contract/failures.ts';
import layout from './plan-cards.module.css';
import styles from './plans-missing.module.css';
import { loadPlans } from './plans-store.ts';

const places = ['first', 'second', 'third', 'fourth'];

/** Shown instead of the plans: they are loading, or could not be loaded. */
export function PlansMissing({ hasFailed }: { hasFailed: boolean }) {
  if (hasFailed) {
    return (
      <Banner
        kind="danger"
        icon={<CircleAlert aria-hidden="true" />}
        sentence={failures.loadPlans}
        action={{ label: 'Retry', onPress: () => void loadPlans() }}
      />
    );
  }
  return (
    <div role="status">
      <span className="visually-hidden">Loading...</span>
      <div className={layout.grid} aria-hidden="true">
        {places.map((place) => (
          <Skeleton key={place} className={styles.place} />
        ))}
      </div>
    </div>
  );
}
