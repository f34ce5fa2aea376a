import type { VideoTag } from '#contract/entities/tag.ts';
import { removeTags } from '../edits/change-tags.ts';
import { has } from '../edits/tag-edit.ts';
import { TagChip } from '../tag-chip.tsx';
import type { TaggingVideo } from '../videos-store.ts';
import styles from './panel-part.module.css';

interface Props {
  items: readonly TaggingVideo[];
  isEditor: boolean;
}

/** The tags that the videos have; of several, on how many of them each is. */
export function CurrentTags({ items, isEditor }: Props) {
  const tags = unionOf(items);
  const countOf = (tag: VideoTag) => items.filter((item) => has(item.tags, tag)).length;
  return (
    <section className={styles.part} aria-label="Current Tags">
      <h3 className={styles.heading}>Current Tags</h3>
      {tags.length === 0 && <p className={styles.none}>No tags assigned</p>}
      <ul className={styles.chips}>
        {tags.map((tag) => (
          <li key={tag.id} className={styles.chip}>
            <TagChip
              tag={tag}
              end={countOf(tag) < items.length && `${countOf(tag)} of ${items.length}`}
              onRemove={isEditor ? () => void removeTags(items, [tag]) : undefined}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One that somebody has put on any of them is theirs. */
function unionOf(items: readonly TaggingVideo[]): VideoTag[] {
  const byId = new Map<string, VideoTag>();
  for (const { tags } of items) for (const tag of tags) if (!byId.has(tag.id) || !tag.by_folder) byId.set(tag.id, tag);
  return [...byId.values()];
}
