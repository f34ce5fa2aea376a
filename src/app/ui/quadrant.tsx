import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import styles from './quadrant.module.css';

/** The quadrants' names for viewers. */
export const quadrantNames: Record<Quadrant, string> = {
  'top-left': 'Top left',
  'top-right': 'Top right',
  'bottom-left': 'Bottom left',
  'bottom-right': 'Bottom right',
};

/**
 * Four small squares, one of them filled in the quadrant's colour. Its position identifies the
 * quadrant without colour vision.
 */
export function QuadrantGlyph({ quadrant, className }: { quadrant: Quadrant; className?: string | undefined }) {
  return (
    <svg className={`${styles.glyph} ${className ?? ''}`} viewBox="0 0 20 20" data-colour={quadrant} aria-hidden="true">
      {quadrants.map((one, at) => (
        <rect
          key={one}
          className={one === quadrant ? styles.on : ''}
          x={at % 2 === 0 ? 1 : 11}
          y={at < 2 ? 1 : 11}
          width="8"
          height="8"
          rx="1"
        />
      ))}
    </svg>
  );
}
