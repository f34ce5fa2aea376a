import type { ReactNode } from 'react';
import { lazy, Suspense } from 'react';
import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import { MarkdownBoundary } from './markdown-boundary.tsx';
import type { MarkdownProps } from './markdown-text.tsx';
import { PlainMarkdown } from './plain-markdown.tsx';

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
