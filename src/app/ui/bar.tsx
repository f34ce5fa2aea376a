import type { CSSProperties } from 'react';
import styles from './bar.module.css';

interface Props {
  /** A share of 0 to 1; null when unknown. */
  share: number | null;
  kind?: keyof typeof kinds;
  /**
   * Name of the progress, for screen readers; omitted when the text next to the bar says
   * everything.
   */
  label?: string;
}

const kinds = { plain: '', warn: styles.warn };

/** A progress bar. */
export function Bar({ share, kind = 'plain', label }: Props) {
  const style = { '--share': share ?? 0 } as CSSProperties;
  const className = `${styles.bar} ${kinds[kind]} ${share === null ? styles.unknown : ''}`;
  if (label === undefined) return <div className={className} style={style} aria-hidden="true" />;
  return (
    <div
      className={className}
      style={style}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share === null ? undefined : Math.round(share * 100)}
    />
  );
}
