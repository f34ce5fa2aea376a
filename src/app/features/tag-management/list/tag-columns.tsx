import type { Snapshot } from 'valtio';
import { Swatch } from '#app/ui/card/swatch.tsx';
import { countText } from '#app/ui/count-text.ts';
import type { Column } from '#app/ui/list/table.tsx';
import { dayOf } from '#app/ui/time-text.ts';
import type { Tag } from '#contract/entities/tag.ts';
import styles from './tag-columns.module.css';

export type TagRow = Snapshot<Tag>;

/** In the narrow list the name has its swatch, and the number of videos the description beside it. */
export const tagColumns: readonly Column<TagRow>[] = [
  { title: 'Name', inList: 'name', cell: (tag) => <Name tag={tag} /> },
  {
    title: 'Description',
    inList: 'nowhere',
    cell: ({ description }) =>
      description === '' ? (
        <span className={styles.none}>{noDescription}</span>
      ) : (
        <bdi className={styles.description}>{description}</bdi>
      ),
  },
  {
    title: 'Color',
    inList: 'nowhere',
    cell: ({ color }) => (
      <span className={styles.color}>
        <Swatch color={color} />
        {color}
      </span>
    ),
  },
  { title: 'Videos', inList: 'fact', isNumber: true, cell: (tag) => <Videos tag={tag} /> },
  {
    title: 'Created',
    inList: 'nowhere',
    cell: ({ created_at }) => <span className={styles.day}>{dayOf(created_at)}</span>,
  },
];

const noDescription = 'No description';

function Name({ tag: { name, color, aliases } }: { tag: TagRow }) {
  return (
    <span className={styles.names}>
      <span className={styles.line}>
        <span className={styles.mark}>
          <Swatch color={color} />
        </span>
        <bdi>{name}</bdi>
      </span>
      {aliases.length > 0 && (
        <span className={styles.aliases}>
          Also <bdi>{aliases.join(', ')}</bdi>
        </span>
      )}
    </span>
  );
}

function Videos({ tag: { video_count, description } }: { tag: TagRow }) {
  return (
    <>
      <span className={styles.wide}>{video_count.toLocaleString()}</span>
      <span className={`${styles.narrow} ${styles.facts}`}>
        {countText(video_count, 'video')}, <bdi>{description || noDescription}</bdi>
      </span>
    </>
  );
}
