import type { ReactNode } from 'react';
import { Component, lazy, Suspense, useEffect } from 'react';
import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import styles from './markdown.module.css';
import type { MarkdownProps } from './markdown-text.tsx';

/**
 * Loads the Markdown renderer ahead of the text. If it cannot be loaded, the source text is shown.
 */
export const loadMarkdown = async () => ({
  default: await loadWithinLimit(() => import('./markdown-text.tsx')).then(({ MarkdownText }) => MarkdownText, plain),
});
const MarkdownText = lazy(loadMarkdown);

interface Props extends MarkdownProps {
  loading: ReactNode;
}

/** The operator's text: rendered from Markdown where possible, otherwise its source. */
export function Markdown({ loading, ...text }: Props) {
  return (
    <MarkdownBoundary fallback={<PlainMarkdown {...text} />}>
      <Suspense fallback={loading}>
        <MarkdownText {...text} />
      </Suspense>
    </MarkdownBoundary>
  );
}

function plain() {
  return PlainMarkdown;
}

interface MarkdownBoundaryProps {
  children: ReactNode;
  fallback: ReactNode;
}

/**
 * Catches the stack overflow of deeply nested Markdown, so that the rest of the screen still works.
 */
class MarkdownBoundary extends Component<MarkdownBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}

/** The Markdown source, for when it cannot be rendered. */
function PlainMarkdown({ text, onDraw }: MarkdownProps) {
  useEffect(onDraw);
  return <p className={styles.plain}>{text}</p>;
}
