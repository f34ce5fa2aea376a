import type { ReactNode } from 'react';
import { Component, lazy, Suspense, useEffect } from 'react';
import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import styles from './markdown.module.css';
import type { MarkdownProps } from './markdown-text.tsx';

/** Loads what renders Markdown, ahead of the text. Where it cannot be loaded, the text is shown as it was written. */
export const loadMarkdown = async () => ({
  default: await loadWithinLimit(() => import('./markdown-text.tsx')).then(({ MarkdownText }) => MarkdownText, plain),
});
const MarkdownText = lazy(loadMarkdown);

interface Props extends MarkdownProps {
  loading: ReactNode;
}

/** Text of the operator: rendered where that works, else as it was written. */
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

/** Deeply nested Markdown overflows the stack while rendering: what stands beside it must still work. */
class MarkdownBoundary extends Component<MarkdownBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}

/** Markdown as it was written, where it cannot be rendered. */
function PlainMarkdown({ text, onDraw }: MarkdownProps) {
  useEffect(onDraw);
  return <p className={styles.plain}>{text}</p>;
}
