import type { KeyboardEvent, RefObject } from 'react';
import { useEffect, useRef } from 'react';
import { clockText } from '#contract/rules/duration.ts';
import { Range } from '../form/range.tsx';
import styles from './player-timeline.module.css';

interface Props {
  video: RefObject<HTMLVideoElement | null>;
  /** Left and right seek by the viewer's step, in place of the browser's. */
  onStep: (direction: -1 | 1) => void;
}

const directions: Record<string, -1 | 1> = { ArrowLeft: -1, ArrowRight: 1 };

/** The line to seek on, and the time, which are written four times a second without drawing anything again. */
export function PlayerTimeline({ video, onStep }: Props) {
  const line = useRef<HTMLInputElement>(null);
  const text = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (video.current && line.current && text.current) return writeTime(video.current, line.current, text.current);
  }, [video]);
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = directions[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    onStep(direction);
  };
  return (
    <div className={styles.timeline}>
      <Range
        ref={line}
        className={styles.line}
        aria-label="Seek"
        min={0}
        max={1}
        step="any"
        defaultValue={0}
        onKeyDown={onKeyDown}
      />
      <span ref={text} className={styles.time} />
    </div>
  );
}

/** Shows the position while it moves, and seeks where the line is let go. Returns what stops it. */
function writeTime(video: HTMLVideoElement, line: HTMLInputElement, text: HTMLElement): () => void {
  let isDragged = false;
  const write = () => {
    if (!isDragged) show(video.currentTime);
  };
  const drag = () => {
    isDragged = true;
    show(Number(line.value));
  };
  const drop = () => {
    isDragged = false;
    if (Number.isFinite(video.duration)) video.currentTime = Number(line.value);
  };
  const show = (position: number) => {
    const isKnown = Number.isFinite(video.duration) && video.duration > 0;
    line.disabled = !isKnown;
    line.max = String(isKnown ? video.duration : 1);
    line.value = String(isKnown ? position : 0);
    line.style.setProperty('--at', String(isKnown ? Math.min(1, position / video.duration) : 0));
    text.textContent = `${clockText(isKnown ? position : Number.NaN)} / ${clockText(video.duration)}`;
    line.setAttribute('aria-valuetext', text.textContent);
  };
  const events = ['timeupdate', 'durationchange', 'seeking', 'emptied'];
  for (const event of events) video.addEventListener(event, write);
  line.addEventListener('input', drag);
  line.addEventListener('change', drop);
  write();
  return () => {
    for (const event of events) video.removeEventListener(event, write);
    line.removeEventListener('input', drag);
    line.removeEventListener('change', drop);
  };
}
