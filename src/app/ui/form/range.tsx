import type { ComponentProps } from 'react';
import styles from './range.module.css';

/** A native slider, styled as a line with a thumb. */
export function Range({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  return <input {...props} type="range" className={`${styles.range} ${className}`} />;
}

/*
 * The centre of a slider's thumb moves from half a thumb's width after the start of the line to
 * half a width before its end (see `range.module.css`).
 */

/** Position of a slider's line in the window, and the width of its thumb, in CSS pixels. */
export interface RangeLine {
  left: number;
  width: number;
  thumb: number;
}

export function measureRange(line: HTMLInputElement): RangeLine {
  const { left, width } = line.getBoundingClientRect();
  return { left, width, thumb: lengthOf(line, '--thumb') };
}

/** A custom property in `rem`, converted to CSS pixels. */
export function lengthOf(element: Element, property: string): number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 0;
  return (Number.parseFloat(getComputedStyle(element).getPropertyValue(property)) || 0) * rem;
}

/** The value that a press at `x` in the window selects, from 0 to 1. */
export function shareAt({ left, width, thumb }: RangeLine, x: number): number {
  const way = width - thumb;
  return way <= 0 ? 0 : Math.max(0, Math.min(1, (x - left - thumb / 2) / way));
}

/** Distance of the thumb's centre from the start of the line, in CSS pixels. */
export function centreOf({ width, thumb }: RangeLine, share: number): number {
  return thumb / 2 + share * (width - thumb);
}
