import { useEffect, useRef } from 'react';
import { QuadrantGlyph } from '#app/ui/quadrant/quadrant-glyph.tsx';
import type { Quadrant } from '#contract/quadrants.ts';
import styles from './progress-line.module.css';
import { writeProgress } from './progress-writer.ts';
import { seekBy } from './seek.ts';
import { Slider } from './slider.tsx';

interface Props {
  quadrant: Quadrant;
  filename: string | undefined;
  /** Nothing is written while it is hidden. */
  isShown: boolean;
  canSeek: boolean;
}

/** Filename and time, and the line to seek on. */
export function ProgressLine({ quadrant, filename, isShown, canSeek }: Props) {
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
          <bdi>{filename}</bdi>
        </p>
        <span ref={time} className={styles.time} />
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
