import { Suspense, useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';
import { QuadrantGlyph } from '#app/ui/quadrant/quadrant-glyph.tsx';
import type { Quadrant } from '#contract/quadrants.ts';
import { feed } from '../quadrant/feed-state.ts';
import styles from './progress-line.module.css';
import { writeProgress } from './progress-writer.ts';
import { seekBy } from './seek.ts';
import { Slider } from './slider.tsx';

interface Props {
  quadrant: Quadrant;
  /** Nothing is written while it is hidden. */
  isShown: boolean;
  canSeek: boolean;
}

/** Without its file the time alone says where a seek leads. */
const SeekPreview = lazyPart(
  async () => (await import('./seek-preview.tsx')).SeekPreview,
  () => null,
);

/** Filename and time, and the line to seek on. */
export function ProgressLine({ quadrant, isShown, canSeek }: Props) {
  const { shown } = useSnapshot(feed.quadrants[quadrant]);
  const line = useRef<HTMLInputElement>(null);
  const time = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (isShown && line.current && time.current) return writeProgress(quadrant, line.current, time.current);
  }, [quadrant, isShown]);
  return (
    <>
      <div className={styles.words}>
        <QuadrantGlyph quadrant={quadrant} className={styles.glyph} />
        <p className={styles.filename}>
          <bdi>{shown?.filename}</bdi>
        </p>
        <span ref={time} className={styles.time} />
        {shown?.storyboard && canSeek && (
          <Suspense fallback={null}>
            <SeekPreview
              key={shown.id}
              quadrant={quadrant}
              line={line}
              sheet={shown.storyboard}
              durationSeconds={shown.durationSeconds}
            />
          </Suspense>
        )}
      </div>
      <div className={styles.line}>
        <Slider
          label="Seek"
          isOff={!canSeek}
          ref={line}
          className={styles.seek}
          onStep={(direction) => seekBy(quadrant, direction)}
        />
      </div>
    </>
  );
}
