import { CircleAlert } from 'lucide-react';
import { Banner } from '#app/ui/banner.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import styles from './list-missing.module.css';

interface Props {
  hasFailed: boolean;
  /** What could not be loaded. */
  sentence: string;
  onRetry: () => void;
}

/** Shown instead of a list: it is loading, or it could not be loaded. */
export function ListMissing({ hasFailed, sentence, onRetry }: Props) {
  if (hasFailed) {
    return (
      <Banner
        kind="danger"
        icon={<CircleAlert aria-hidden="true" />}
        sentence={sentence}
        action={{ label: 'Retry', onPress: onRetry }}
      />
    );
  }
  return (
    <div role="status">
      <span className="visually-hidden">Loading...</span>
      <Skeleton className={styles.line} />
      <Skeleton className={styles.line} />
    </div>
  );
}
