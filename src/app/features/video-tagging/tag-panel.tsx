import { Folder, Play, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { openDetails } from '#app/state/view-requests.ts';
import { Swatch } from '#app/ui/badge.tsx';
import { Button, IconButton } from '#app/ui/button.tsx';
import { Sheet } from '#app/ui/dialogs.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { TagChoices } from '#app/ui/list/tag-choices.tsx';
import { Preview } from '#app/ui/media/preview.tsx';
import { useNarrow } from '#app/ui/store-hooks.ts';
import { countText } from '#app/ui/texts.ts';
import type { Tag, VideoTag } from '#contract/entities/tag.ts';
import { checkAssignedTags } from '#contract/rules/tag.ts';
import { has, isPutBySomebody, removeTags } from './change-tags.ts';
import styles from './tag-panel.module.css';
import {
  assignTicked,
  closePanel,
  createTicked,
  panelVideos,
  playListed,
  tagChoices,
  tagging,
  tick,
} from './tagging-store.ts';
import type { TaggingVideo } from './videos-store.ts';
import { taggingVideos } from './videos-store.ts';

/** The tags of the chosen or selected videos: next to the cards, or a sheet on narrow screens. */
export function TagPanel({ isEditor }: { isEditor: boolean }) {
  const list = useSnapshot(taggingVideos.state);
  const { chosenId, isPanelOpen } = useSnapshot(tagging);
  const items = panelVideos(list as typeof taggingVideos.state, chosenId);
  const isNarrow = useNarrow();
  const foot = isEditor && items.length > 0 ? <AssignButton /> : undefined;
  const content = items.length === 0 ? <NoVideo /> : <Content items={items} isEditor={isEditor} />;
  if (!isNarrow) {
    return (
      <aside className={styles.panel} aria-label="Tags" data-focus-region>
        {items.length === 1 && items[0] && <Frame item={items[0]} />}
        <div className={styles.body}>{content}</div>
        {foot && <div className={styles.foot}>{foot}</div>}
      </aside>
    );
  }
  if (!isPanelOpen || items.length === 0) return null;
  return (
    <Sheet label="Tags" onClose={closePanel} foot={foot}>
      {content}
    </Sheet>
  );
}

interface Props {
  items: readonly TaggingVideo[];
  isEditor: boolean;
}

function Content({ items, isEditor }: Props) {
  const isOne = items.length === 1;
  return (
    <>
      <p className={styles.label}>{isOne ? 'Tagging Video' : 'Tagging Videos'}</p>
      <h2 className={styles.tagPanelName}>{isOne ? <bdi>{items[0]?.video.title}</bdi> : `${items.length} videos`}</h2>
      {isOne && <Button kind="line" label="Details" onPress={() => openDetails(items[0]?.video.id ?? '')} />}
      <CurrentTags items={items} isEditor={isEditor} />
      {isEditor && <AddTags items={items} />}
    </>
  );
}

function NoVideo() {
  return <h2 className={styles.tagPanelNone}>Select a Video</h2>;
}

function Frame({ item: { video } }: { item: TaggingVideo }) {
  return (
    <div className={styles.frame}>
      <Preview
        url={video.url}
        posterUrl={video.poster_url}
        failedText="No preview"
        message={video.available ? null : video.message}
      >
        <IconButton
          className={styles.play}
          label="Play"
          icon={<Play aria-hidden="true" />}
          onPress={() => void playListed(video)}
        />
      </Preview>
    </div>
  );
}

/** The tags of the videos. For several videos each tag shows how many have it. */
function CurrentTags({ items, isEditor }: Props) {
  const tags = unionOf(items);
  const countOf = (tag: VideoTag) => items.filter((item) => has(item.tags, tag)).length;
  return (
    <section className={styles.part} aria-label="Current Tags">
      <h3 className={styles.heading}>Current Tags</h3>
      {tags.length === 0 && <p className={styles.none}>No tags assigned</p>}
      <ul className={styles.chips}>
        {tags.map((tag) => (
          <li key={tag.id} className={styles.panelPartChip}>
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

/**
 * The tags of all videos. A tag that people assigned to any of them counts as assigned by people.
 */
function unionOf(items: readonly TaggingVideo[]): VideoTag[] {
  const byId = new Map<string, VideoTag>();
  for (const { tags } of items) for (const tag of tags) if (!byId.has(tag.id) || !tag.by_folder) byId.set(tag.id, tag);
  return [...byId.values()];
}

interface AddTagsProps {
  items: readonly TaggingVideo[];
}

/** All active tags with checkboxes. Tags that the videos already have are marked and disabled. */
function AddTags({ items }: AddTagsProps) {
  return (
    <section className={styles.part} aria-label="Add Tags">
      <h3 className={styles.heading}>Add Tags</h3>
      <TagChoices
        list={tagChoices.list}
        noun="tags"
        searchLabel="Search tags"
        creation={{ state: tagChoices.state, onCreate: () => void createTicked() }}
        empty={() => 'No Tags Found'}
      >
        {(tag) => <Choice tag={tag} items={items} />}
      </TagChoices>
    </section>
  );
}

function Choice({ tag, items }: AddTagsProps & { tag: Snapshot<Tag> }) {
  const { ticked } = useSnapshot(tagging);
  const count = items.filter(({ tags }) => isPutBySomebody(tags, tag)).length;
  const isAssigned = count === items.length;
  const drawEnd = () => {
    if (isAssigned) return 'Assigned';
    if (count > 0) return `${count} of ${items.length}`;
    return items.every(({ tags }) => has(tags, tag)) && <FolderSign />;
  };
  return (
    <CheckRow
      label={tag.name}
      isOn={!isAssigned && has(ticked, tag)}
      isDisabled={isAssigned}
      start={<Swatch color={tag.color} />}
      end={drawEnd()}
      onChange={() => tick(tag)}
    />
  );
}

/** A button that assigns the ticked tags. */
function AssignButton() {
  const { ticked } = useSnapshot(tagging);
  const problem = ticked.length === 0 ? null : checkAssignedTags(ticked.map(({ id }) => id));
  return (
    <>
      {problem !== null && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
      <Button
        label={`Assign ${countText(ticked.length, 'Tag')}`}
        isBlock
        isDisabled={ticked.length === 0 || problem !== null}
        onPress={() => void assignTicked()}
      />
    </>
  );
}

interface TagChipProps {
  tag: Readonly<VideoTag>;
  /** Content after the name: on how many of several videos the tag is. */
  end?: ReactNode;
  onRemove?: (() => void) | undefined;
}

/** An assigned tag. One given by the video's folder has an outline and a folder icon. */
export function TagChip({ tag: { name, color, by_folder }, end, onRemove }: TagChipProps) {
  return (
    <span className={`${styles.chip} ${by_folder ? styles.byFolder : ''}`}>
      <Swatch color={color} />
      <bdi className={styles.name}>{name}</bdi>
      {by_folder && <FolderSign />}
      {end && <span className={styles.end}>{end}</span>}
      {onRemove && (
        <button
          type="button"
          className={styles.remove}
          aria-label={`Remove ${name}`}
          title={`Remove ${name}`}
          onClick={onRemove}
        >
          <X aria-hidden="true" />
        </button>
      )}
    </span>
  );
}

/** An icon that marks a tag as given by the video's folder. */
function FolderSign() {
  return (
    <span className={styles.sign} title="From its folder">
      <Folder className={styles.folder} aria-hidden="true" />
      <span className="visually-hidden">From its folder</span>
    </span>
  );
}
