import { Play, TriangleAlert } from 'lucide-react';
import { SquaresLoader } from '#app/ui/loading/squares-loader.tsx';
import { LogoOutline } from '#app/ui/logo.tsx';
import type { OverlayMessage } from './overlay-message.ts';
import styles from './quadrant-message.module.css';

interface Props {
  message: OverlayMessage;
  onTap: () => void;
  onClearFilter: () => void;
}

export function QuadrantMessage({ message, onTap, onClearFilter }: Props) {
  switch (message.kind) {
    case 'no-videos':
      return <NoVideos onClearFilter={message.isFiltered ? onClearFilter : undefined} />;
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

function Wait({ text, reason }: { text: string; reason?: string }) {
  if (reason === undefined) {
    return (
      <p className={styles.tile}>
        <SquaresLoader />
        {text}
      </p>
    );
  }
  return (
    <p className={`${styles.tile} ${styles.explained}`}>
      <SquaresLoader />
      <span>
        {text}
        <span className={styles.reason}>{reason}</span>
      </span>
    </p>
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

function NoVideos({ onClearFilter }: { onClearFilter: (() => void) | undefined }) {
  return (
    <div className={styles.none}>
      <LogoOutline className={styles.outline} />
      <h2>No videos yet</h2>
      <p>Upload your first video to get started with your feed!</p>
      <p className={styles.hint}>Use the Upload page from the menu</p>
      {onClearFilter && (
        <button type="button" className={styles.clear} onClick={onClearFilter}>
          Clear filter
        </button>
      )}
    </div>
  );
}
