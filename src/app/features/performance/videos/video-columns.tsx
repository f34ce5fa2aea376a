import { countText } from '#app/ui/count-text.ts';
import type { Column } from '#app/ui/list/table.tsx';
import type { TroubledVideo } from '#contract/entities/performance.ts';
import { play } from './player-store.ts';
import styles from './video-columns.module.css';

/** @param isList whether figures stand in one line, without the titles of columns, and say themselves what they count */
export function videoColumns(isList: boolean): Column<TroubledVideo>[] {
  const count = (value: number, noun: string) => (isList ? countText(value, noun) : value.toLocaleString());
  return [
    { title: 'Video', inList: 'name', cell: (video) => <VideoName video={video} /> },
    { title: 'Stalls', inList: 'fact', isNumber: true, cell: ({ stall_events }) => count(stall_events, 'stall') },
    { title: 'Breaks', inList: 'fact', isNumber: true, cell: ({ failures }) => count(failures, 'break') },
    {
      title: 'Played',
      inList: 'fact',
      isNumber: true,
      cell: ({ minutes }) => (
        <span className={styles.minutes}>{isList ? `${minutesText(minutes)} played` : minutesText(minutes)}</span>
      ),
    },
  ];
}

function VideoName({ video: { id, filename } }: { video: TroubledVideo }) {
  return (
    <button type="button" className={styles.play} aria-label={`Play ${filename}`} onClick={() => void play(id)}>
      <bdi>{filename}</bdi>
    </button>
  );
}

function minutesText(minutes: number): string {
  return `${minutes.toLocaleString(undefined, { maximumFractionDigits: minutes < 10 ? 1 : 0 })} min`;
}
