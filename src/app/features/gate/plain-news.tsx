import { useEffect } from 'react';
import styles from './news-panel.module.css';
import type { NewsTextProps } from './news-text.tsx';

/** News as plain Markdown source, where it cannot be rendered. */
export function PlainNews({ text, onDraw }: NewsTextProps) {
  useEffect(onDraw);
  return <p className={styles.plain}>{text}</p>;
}
