import { Folder, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Swatch } from '#app/ui/card/swatch.tsx';
import type { VideoTag } from '#contract/entities/tag.ts';
import styles from './tag-chip.module.css';

interface Props {
  tag: Readonly<VideoTag>;
  /** After the name: on how many of several videos it is. */
  end?: ReactNode;
  onRemove?: (() => void) | undefined;
}

/** A tag that something has. One that its folder gave is outlined, with a sign of a folder. */
export function TagChip({ tag: { name, color, by_folder }, end, onRemove }: Props) {
  return (
    <span className={`${styles.chip} ${by_folder ? styles.byFolder : ''}`}>
      <Swatch color={color} />
      <bdi className={styles.name}>{name}</bdi>
      {by_folder && <FolderSign />}
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

/** Says that the folder of a video gave a tag. */
export function FolderSign() {
  return (
    <span className={styles.sign} title="From its folder">
      <Folder className={styles.folder} aria-hidden="true" />
      <span className="visually-hidden">From its folder</span>
    </span>
  );
}
