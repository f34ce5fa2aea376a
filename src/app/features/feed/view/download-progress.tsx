import { Bar } from '#app/ui/bar.tsx';
import styles from './download-progress.module.css';

interface Props {
  /** What advances, for screen readers. */
  label: string;
  /** 0 to 100; null before it begins. */
  progress: number | null;
}

/** How far a video is being made playable. The message around it is announced, its percents are not. */
export function DownloadProgress({ label, progress }: Props) {
  return (
    <div className={styles.progress} aria-live="off">
      <Bar share={progress === null ? null : progress / 100} label={label} />
      {progress !== null && (
        <span className={styles.percent} aria-hidden="true">
          {`${Math.round(progress)} %`}
        </span>
      )}
    </div>
  );
}
