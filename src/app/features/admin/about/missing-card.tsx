import { CircleCheck } from 'lucide-react';
import { Card } from '#app/ui/card/card.tsx';
import type { Degradation } from '#contract/entities/site.ts';
import { EntryRow } from '../entry-row.tsx';
import styles from './about-section.module.css';

/** What the site has to do without, and how to mend it. */
export function MissingCard({ degraded }: { degraded: readonly Readonly<Degradation>[] }) {
  return (
    <Card title="What is missing">
      {degraded.length === 0 ? (
        <p className={styles.fine}>
          <CircleCheck aria-hidden="true" />
          Everything works.
        </p>
      ) : (
        <ul>
          {degraded.map(({ problem, mend }) => (
            <EntryRow key={problem} label={problem}>
              <p>{mend}</p>
            </EntryRow>
          ))}
        </ul>
      )}
    </Card>
  );
}
