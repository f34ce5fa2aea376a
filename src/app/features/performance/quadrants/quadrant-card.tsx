import { Card } from '#app/ui/card/card.tsx';
import { Sparkline } from '#app/ui/chart/sparkline.tsx';
import { QuadrantGlyph } from '#app/ui/quadrant/quadrant-glyph.tsx';
import { quadrantNames } from '#app/ui/quadrant/quadrant-names.ts';
import { noPerformanceData } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrantScore } from '#contract/rules/health.ts';
import { Figures } from '../figures.tsx';
import type { ShownReadings } from '../performance-store.ts';
import { scoreText, windowText } from '../performance-words.ts';
import { QuadrantSeries } from '../series/quadrant-series.tsx';
import type { SeriesWindow } from '../series/series-window.ts';
import styles from './quadrant-card.module.css';
import { figuresOf } from './quadrant-figures.ts';

interface Props {
  quadrant: Quadrant;
  readings: ShownReadings;
  range: SeriesWindow;
  /** It stands alone, with all of its series. */
  isWide: boolean;
}

/** What everybody who watches has lived through in one quadrant. */
export function QuadrantCard({ quadrant, readings, range, isWide }: Props) {
  const { metrics = null, series = [] } = readings.quadrants.find(({ id }) => id === quadrant) ?? {};
  const span = windowText(readings.window);
  return (
    <div className={styles.quadrant}>
      <Card
        title={quadrantNames[quadrant]}
        mark={<QuadrantGlyph quadrant={quadrant} />}
        end={metrics && <Score score={quadrantScore(metrics)} />}
        isReadOnly
      >
        {metrics === null && <p className={styles.none}>{noPerformanceData}</p>}
        {metrics && isWide && <QuadrantSeries quadrant={quadrant} series={series} range={range} span={span} />}
        {metrics && !isWide && <BufferLine quadrant={quadrant} series={series} range={range} span={span} />}
        {metrics && <Figures figures={figuresOf(quadrant, metrics, readings.alarms)} />}
      </Card>
    </div>
  );
}

function BufferLine({ quadrant, series, range, span }: Parameters<typeof QuadrantSeries>[0]) {
  return (
    <>
      <Sparkline
        label={`Buffer level, ${span}`}
        unit="s"
        quadrant={quadrant}
        points={series.map(({ timestamp, bufferLevel }) => ({ at: Date.parse(timestamp), value: bufferLevel }))}
        threshold={limits.lowBufferSeconds}
        {...range}
      />
      <p className={styles.caption}>{`Buffer level, dashed line at ${limits.lowBufferSeconds}\u00a0s`}</p>
    </>
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
