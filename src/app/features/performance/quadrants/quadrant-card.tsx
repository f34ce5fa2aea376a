import { Card } from '#app/ui/card/card.tsx';
import { QuadrantGlyph } from '#app/ui/quadrant/quadrant-glyph.tsx';
import { quadrantNames } from '#app/ui/quadrant/quadrant-names.ts';
import { noPerformanceData } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrantScore } from '#contract/rules/health.ts';
import { Figures } from '../figures.tsx';
import type { ShownReadings } from '../performance-store.ts';
import { scoreText } from '../performance-words.ts';
import styles from './quadrant-card.module.css';
import { figuresOf } from './quadrant-figures.ts';

interface Props {
  quadrant: Quadrant;
  readings: ShownReadings;
}

/** What one quadrant of everybody who watches has lived through. */
export function QuadrantCard({ quadrant, readings }: Props) {
  const metrics = readings.quadrants.find(({ id }) => id === quadrant)?.metrics ?? null;
  return (
    <div className={styles.quadrant} data-colour={quadrant}>
      <Card
        title={quadrantNames[quadrant]}
        mark={<QuadrantGlyph quadrant={quadrant} />}
        end={metrics && <Score score={quadrantScore(metrics)} />}
        isReadOnly
      >
        {metrics ? (
          <Figures figures={figuresOf(quadrant, metrics, readings.alarms)} />
        ) : (
          <p className={styles.none}>{noPerformanceData}</p>
        )}
      </Card>
    </div>
  );
}

function Score({ score }: { score: number }) {
  return (
    <p className={styles.score}>
      <span className="visually-hidden">Score: </span>
      {scoreText(score)}
      <span className="visually-hidden">{` of ${limits.healthScoreMax}`}</span>
    </p>
  );
}
