import type { ComponentProps } from 'react';
import styles from './range.module.css';

/** A native slider, styled as a line with a thumb. */
export function Range({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  return <input {...props} type="range" className={`${styles.range} ${className}`} />;
}

/*
 * The middle of a slider's thumb travels from half its width to half its width before the end of the line (see
 * `range.module.css`).
 */

/** The line of a slider in the window, and the width of its thumb, in CSS pixels. */
export interface RangeLine {
  left: number;
  width: number;
  thumb: number;
}

export function measureRange(line: HTMLInputElement): RangeLine {
  const { left, width } = line.getBoundingClientRect();
  return { left, width, thumb: lengthOf(line, '--thumb') };
}

/** A property in `rem`, as CSS pixels. */
export function lengthOf(element: Element, property: string): number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 0;
  return (Number.parseFloat(getComputedStyle(element).getPropertyValue(property)) || 0) * rem;
}

/** What a press at `x` of the window chooses: 0 to 1. */
export function shareAt({ left, width, thumb }: RangeLine, x: number): number {
  const way = width - thumb;
  return way <= 0 ? 0 : Math.max(0, Math.min(1, (x - left - thumb / 2) / way));
}

/** How far from the start of the line the thumb stands then, in CSS pixels. */
export function centreOf({ width, thumb }: RangeLine, share: number): number {
  return thumb / 2 + share * (width - thumb);
}
