import { Play, TriangleAlert } from 'lucide-react';
import { Suspense } from 'react';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';
import { SquaresLoader } from '#app/ui/loading/squares-loader.tsx';
import type { Quadrant } from '#contract/quadrants.ts';
import type { OverlayMessage } from './overlay-message.ts';
import styles from './quadrant-message.module.css';

interface Props {
  quadrant: Quadrant;
  message: OverlayMessage;
  onTap: () => void;
}

const NoVideos = lazyPart(
  async () => (await import('./no-videos.tsx')).NoVideos,
  () => <p className={styles.tile}>No videos yet</p>,
);

/** Without its file the words stand alone. */
const DownloadProgress = lazyPart(
  async () => (await import('./download-progress.tsx')).DownloadProgress,
  () => null,
);

export function QuadrantMessage({ quadrant, message, onTap }: Props) {
  switch (message.kind) {
    case 'no-videos':
      return (
        <Suspense fallback={null}>
          <NoVideos quadrant={quadrant} isFiltered={message.isFiltered ?? false} />
        </Suspense>
      );
    case 'tap':
      return <TapToPlay text={message.text} onTap={onTap} />;
    case 'error':
      return (
        <p className={styles.tile}>
          <TriangleAlert />
          {message.text}
        </p>
      );
    default:
      return <Wait {...message} />;
  }
}

function Wait({ text, progress }: { text: string; progress?: number | null }) {
  return (
    <div className={styles.tile}>
      <SquaresLoader />
      <div>
        {text}
        {progress !== undefined && (
          <Suspense fallback={null}>
            <DownloadProgress label={text} progress={progress} />
          </Suspense>
        )}
      </div>
    </div>
  );
}

/** A tap anywhere in the quadrant counts. */
function TapToPlay({ text, onTap }: { text: string; onTap: () => void }) {
  return (
    <button type="button" className={styles.tap} onClick={onTap}>
      <span className={styles.play}>
        <Play />
      </span>
      <span className={styles.words}>{text}</span>
    </button>
  );
}
