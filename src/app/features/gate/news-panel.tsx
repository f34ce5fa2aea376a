import { useCallback, useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { recovered } from '#app/platform/http/recovery.ts';
import { loadMarkdown, Markdown } from '#app/ui/markdown/markdown.tsx';
import { watchSize } from '#app/ui/watch-size.ts';
import styles from './news-panel.module.css';
import { loadMissingNews, loadNews, news } from './news-store.ts';

/** §2 Password page: 'What's New', beside the form. */
export function NewsPanel() {
  const { text } = useSnapshot(news);
  useEffect(() => {
    void loadNews();
    void loadMarkdown();
    return recovered.listen(() => void loadMissingNews());
  }, []);
  const panel = useRef<HTMLElement>(null);
  const [isScrollable, setScrollable] = useState(false);
  const measure = useCallback(
    () => setScrollable(panel.current !== null && panel.current.scrollHeight > panel.current.clientHeight + 1),
    [],
  );
  const column = useRef<HTMLDivElement>(null);
  // A font that comes late, or another window, changes what fits.
  useEffect(() => {
    const boxes = [panel.current, column.current].filter((box) => box !== null);
    const stops = boxes.map((box) => watchSize(box, measure));
    return () => {
      for (const stop of stops) stop();
    };
  }, [measure]);
  return (
    // Focusable while it scrolls, for keys and remotes.
    <section ref={panel} className={styles.panel} aria-labelledby="news-title" tabIndex={isScrollable ? 0 : undefined}>
      <div ref={column} className={styles.column}>
        <h2 id="news-title">What's New</h2>
        {text === null ? <Loading /> : <Markdown text={text} onDraw={measure} loading={<Loading />} />}
      </div>
    </section>
  );
}

function Loading() {
  return (
    <p className={styles.loading} role="status">
      Loading updates...
    </p>
  );
}
