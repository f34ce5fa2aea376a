import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { Bar } from '#app/ui/bar.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { loadMarkdown, Markdown } from '#app/ui/markdown/markdown.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import styles from './eula-dialog.module.css';
import { eula, eulaText, eulaTitle, recordReading } from './eula-store.ts';

/** The agreement, which scrolls by pointer, finger, keys and remote, and how far one has come. */
export function EulaText() {
  const { share } = useSnapshot(eula);
  const text = useSnapshot(eulaText.state);
  const box = useRef<HTMLDivElement>(null);
  // What stands there before the text may fit, and is no agreement.
  const isDrawn = useRef(false);
  const measure = () => {
    if (isDrawn.current && box.current) recordReading(box.current);
  };
  const measureText = () => {
    isDrawn.current = true;
    measure();
  };
  useEffect(() => void loadMarkdown(), []);
  useEffect(() => {
    window.addEventListener('resize', measure);
    return () => window.removeEventListener('resize', measure);
  });
  const waiting = <Skeleton className={styles.waiting} />;
  return (
    <>
      <div className={styles.reading}>
        <Bar share={share} />
      </div>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: it scrolls by keys */}
      <div
        ref={box}
        className={styles.text}
        role="document"
        aria-label={eulaTitle}
        tabIndex={0}
        data-focus-first
        onScroll={measure}
      >
        {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: as above */}
        <ListBody
          face={resourceFace(text)}
          failure={text.failure}
          onRetry={() => void eulaText.reload()}
          skeleton={waiting}
          empty={null}
        >
          <Markdown text={text.value ?? ''} onDraw={measureText} loading={waiting} />
        </ListBody>
      </div>
    </>
  );
}
