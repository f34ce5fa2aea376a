import { OctagonAlert, TriangleAlert } from 'lucide-react';
import { Badge } from '#app/ui/card/badge.tsx';
import { QuadrantGlyph } from '#app/ui/quadrant/quadrant-glyph.tsx';
import { quadrantNames } from '#app/ui/quadrant/quadrant-names.ts';
import type { PerformanceAlert } from '#contract/entities/performance.ts';
import { allQuadrants, clockText } from '../performance-words.ts';
import styles from './alert-row.module.css';

const icons = { error: OctagonAlert, warning: TriangleAlert };
const colours = { error: styles.error, warning: styles.warning };

/** One crossed threshold. */
export function AlertRow({ alert }: { alert: Readonly<PerformanceAlert> }) {
  const { type, title, message, quadrant, severity, timestamp } = alert;
  const Icon = icons[type];
  return (
    <li className={styles.row}>
      <Icon aria-hidden="true" className={`${styles.icon} ${colours[type]}`} />
      <div className={styles.words}>
        <p className={styles.title}>{title}</p>
        <p className={styles.message}>{message}</p>
      </div>
      <div className={styles.facts}>
        <p className={styles.quadrant}>
          {quadrant && <QuadrantGlyph quadrant={quadrant} className={styles.glyph} />}
          {quadrant ? quadrantNames[quadrant] : allQuadrants}
        </p>
        <p className={styles.severity}>
          <Badge words={severity} colour={colours[type]} />
        </p>
        <time dateTime={timestamp}>{clockText(timestamp)}</time>
      </div>
    </li>
  );
}
