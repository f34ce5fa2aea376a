import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Swatch } from '#app/ui/card/swatch.tsx';
import type { TagLabel } from '#contract/entities/tag.ts';
import styles from './tag-chip.module.css';

interface Props {
  tag: Readonly<TagLabel>;
  /** After the name: on how many of several videos it is. */
  end?: ReactNode;
  onRemove?: (() => void) | undefined;
}

/** A tag that something has. */
export function TagChip({ tag: { name, color }, end, onRemove }: Props) {
  return (
    <span className={styles.chip}>
      <Swatch color={color} />
      <bdi className={styles.name}>{name}</bdi>
      {end && <span className={styles.end}>{end}</span>}
      {onRemove && (
        <button
          type="button"
          className={styles.remove}
          aria-label={`Remove ${name}`}
          title={`Remove ${name}`}
          onClick={onRemove}
        >
          <X aria-hidden="true" />
        </button>
      )}
    </span>
  );
}
