import { useEffect, useRef, useState } from 'react';
import { every } from '#device/timers.ts';
import { matches, savesData } from '../../platform/capabilities.ts';
import { currentInput } from '../../platform/input/screen-form.ts';
import styles from './card-stills.module.css';
import type { StoryboardSheet } from './storyboard.tsx';
import { countTiles, coverBox, Still, useSheet } from './storyboard.tsx';

interface Props {
  sheet: StoryboardSheet;
  durationSeconds: number | null;
}

/** Aspect ratio of the card's frame, which the still covers. */
const frameAspect = 16 / 9;

/**
 * Shows the storyboard stills of a video over the frame of its card: the one under the mouse, or
 * one after the other while the card has key or remote focus.
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

const stepMs = 1_000;

/**
 * Shows the still under the mouse while it is over the card of `frame`, and one still per second
 * while the card has key or remote focus; not for touch, and not in data-saving mode. Returns a
 * function that stops it.
 * @param count of stills
 * @param show receives the index of the still; null for none
 */
function watchCard(frame: HTMLElement, count: number, show: (tile: number | null) => void): () => void {
  const card = frame.closest('button');
  if (!card) return () => {};
  let endWalk = () => {};
  const point = ({ pointerType, clientX }: PointerEvent) => {
    if (pointerType !== 'mouse' || savesData()) return;
    endWalk();
    const { left, width } = frame.getBoundingClientRect();
    const share = width === 0 ? 0 : (clientX - left) / width;
    show(Math.max(0, Math.min(count - 1, Math.floor(share * count))));
  };
  const walk = () => {
    endWalk();
    if (!isKeyed() || savesData() || matches('(prefers-reduced-motion: reduce)')) return;
    let tile = 0;
    show(tile);
    endWalk = every(stepMs, () => {
      tile = (tile + 1) % count;
      show(tile);
    });
  };
  const end = () => {
    endWalk();
    show(null);
  };
  card.addEventListener('pointermove', point);
  card.addEventListener('pointerleave', end);
  card.addEventListener('focus', walk);
  card.addEventListener('blur', end);
  return () => {
    endWalk();
    card.removeEventListener('pointermove', point);
    card.removeEventListener('pointerleave', end);
    card.removeEventListener('focus', walk);
    card.removeEventListener('blur', end);
  };
}

function isKeyed(): boolean {
  const input = currentInput();
  return input === 'key' || input === 'remote';
}
