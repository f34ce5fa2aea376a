import { useSnapshot } from 'valtio';
import { quadrantNames } from '#app/ui/quadrant/quadrant-names.ts';
import type { PerformanceAlert } from '#contract/entities/performance.ts';
import { dashboard } from '../performance-store.ts';
import { allQuadrants } from '../performance-words.ts';

/** What screen readers hear of alerts: each once, when it is new. It stands before there is any to be announced. */
export function AlertAnnouncer() {
  const { newest } = useSnapshot(dashboard);
  return (
    <p role="status" className="visually-hidden">
      {newest.map(announcementOf).join(' ')}
    </p>
  );
}

function announcementOf({ title, message, quadrant }: Readonly<PerformanceAlert>): string {
  return `${title}, ${quadrant ? quadrantNames[quadrant] : allQuadrants}: ${message}.`;
}
