import { useEffect, useRef, useState } from 'react';
import styles from './card-stills.module.css';
import { Still } from './still.tsx';
import type { Sheet } from './tiles.ts';
import { countTiles, coverBox } from './tiles.ts';
import { useSheet } from './use-sheet.ts';
import { watchCard } from './watch-card.ts';

interface Props {
  sheet: Sheet;
  durationSeconds: number | null;
}

/** Of the frame on a card, which it lies over. */
const frameAspect = 16 / 9;

/**
 * Leads through the stills of a video over the frame of its card: where the mouse is, or one after the other while keys
 * or a remote rest on it.
 */
export function CardStills({ sheet, durationSeconds }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const [tile, setTile] = useState<number | null>(null);
  const count = countTiles(sheet, durationSeconds);
  useEffect(() => (host.current ? watchCard(host.current, count, setTile) : undefined), [count]);
  const isLoaded = useSheet(sheet.url, tile !== null);
  const { left, top, width, height } = coverBox(sheet, frameAspect);
  return (
    <div ref={host} className={styles.stills}>
      {tile !== null && isLoaded && (
        <Still
          sheet={sheet}
          tile={tile}
          className={styles.still}
          style={{ left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` }}
        />
      )}
    </div>
  );
}
