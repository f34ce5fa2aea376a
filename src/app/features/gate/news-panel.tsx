import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { recovered } from '#app/platform/http/recovery.ts';
import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import { NewsBoundary } from './news-boundary.tsx';
import styles from './news-panel.module.css';
import { loadMissingNews, loadNews, news } from './news-store.ts';
import { PlainNews } from './plain-news.tsx';

const loadNewsText = async () => ({
  default: await loadWithinLimit(() => import('./news-text.tsx')).then(({ NewsText }) => NewsText, plain),
});
const NewsText = lazy(loadNewsText);

/** §2 Password page: 'What's New', beside the form. */
export function NewsPanel() {
  const { text } = useSnapshot(news);
  useEffect(() => {
    void loadNews();
    void loadNewsText();
    return recovered.listen(() => void loadMissingNews());
  }, []);
  const panel = useRef<HTMLElement>(null);
  const [isScrollable, setScrollable] = useState(false);
  const measure = () =>
    setScrollable(panel.current !== null && panel.current.scrollHeight > panel.current.clientHeight + 1);
  return (
    // Focusable while it scrolls, for keys and remotes.
    <section ref={panel} className={styles.panel} aria-labelledby="news-title" tabIndex={isScrollable ? 0 : undefined}>
      <div className={styles.column}>
        <h2 id="news-title">What's New</h2>
        {text === null ? (
          <Loading />
        ) : (
          <NewsBoundary fallback={<PlainNews text={text} onDraw={measure} />}>
            <Suspense fallback={<Loading />}>
              <NewsText text={text} onDraw={measure} />
            </Suspense>
          </NewsBoundary>
        )}
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

/** The Markdown renderer could not be loaded. */
function plain() {
  return PlainNews;
}
