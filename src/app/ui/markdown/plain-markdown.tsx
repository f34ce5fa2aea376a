import { useEffect } from 'react';
import styles from './markdown.module.css';
import type { MarkdownProps } from './markdown-text.tsx';

/** Markdown as it was written, where it cannot be rendered. */
export function PlainMarkdown({ text, onDraw }: MarkdownProps) {
  useEffect(onDraw);
  return <p className={styles.plain}>{text}</p>;
}
