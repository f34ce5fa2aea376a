import type { RefObject } from 'react';
import { useEffect, useState } from 'react';
import { savesData } from '#app/platform/capabilities.ts';
import { lengthOf } from '#app/ui/form/range-place.ts';
import type { PlacedStill, Room } from '#app/ui/storyboard/place-still.ts';
import { placeStill } from '#app/ui/storyboard/place-still.ts';
import { Still } from '#app/ui/storyboard/still.tsx';
import type { Sheet } from '#app/ui/storyboard/tiles.ts';
import { tileAt } from '#app/ui/storyboard/tiles.ts';
import { useSheet } from '#app/ui/storyboard/use-sheet.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { clockText } from '#contract/rules/duration.ts';
import styles from './seek-preview.module.css';
import type { Sought } from './watch-seeking.ts';
import { watchSeeking } from './watch-seeking.ts';

interface Props {
  quadrant: Quadrant;
  line: RefObject<HTMLInputElement | null>;
  sheet: Sheet;
  durationSeconds: number | null;
}

/**
 * The still of the second that is sought, with its time, above the line and within the quadrant. The sheet is asked for
 * when somebody seeks; where data is saved, only by dragging.
 */
export function SeekPreview({ quadrant, line, sheet, durationSeconds }: Props) {
  const [shown, setShown] = useState<(Sought & PlacedStill) | null>(null);
  useEffect(() => {
    const element = line.current;
    if (!element) return;
    return watchSeeking(quadrant, element, (sought) =>
      setShown(sought && { ...sought, ...placeStill(sheet, measureRoom(element), sought.share) }),
    );
  }, [quadrant, line, sheet]);
  const isLoaded = useSheet(sheet.url, shown !== null && (shown.isDragged || !savesData()));
  if (!shown) return null;
  const { left, width, height, isOverWords, seconds } = shown;
  return (
    <div
      className={`${styles.preview} ${isOverWords ? styles.low : ''}`}
      style={{ left, width, ...(isLoaded && { height }) }}
      aria-hidden="true"
    >
      {isLoaded && <Still sheet={sheet} tile={tileAt(sheet, seconds, durationSeconds)} className={styles.still} />}
      <span className={styles.time}>{clockText(seconds)}</span>
    </div>
  );
}

/**
 * The words stand before the line and are as long: a remote seeks also where they alone are shown. At the top of the
 * quadrant stand buttons; below it there may be a dock, which has room as far as that.
 */
function measureRoom(line: HTMLInputElement): Room {
  const { left, top, width, height } =
    line.parentElement?.previousElementSibling?.getBoundingClientRect() ?? new DOMRect();
  const edge = line.closest('section')?.getBoundingClientRect().top ?? 0;
  return {
    line: { left, width, thumb: lengthOf(line, '--thumb') },
    words: height,
    above: top - edge - lengthOf(line, '--tap'),
  };
}
