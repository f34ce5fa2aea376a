import { Play } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { IconButton } from '#app/ui/icon-button.tsx';
import { Preview } from '#app/ui/media/preview.tsx';
import { Sheet } from '#app/ui/overlay/sheet.tsx';
import { useNarrow } from '#app/ui/use-narrow.ts';
import { play } from '../player-store.ts';
import { closePanel, panelVideos, tagging } from '../tagging-store.ts';
import type { TaggingVideo } from '../videos-store.ts';
import { videos } from '../videos-store.ts';
import { AddTags } from './add-tags.tsx';
import { AssignButton } from './assign-button.tsx';
import { CurrentTags } from './current-tags.tsx';
import styles from './tag-panel.module.css';

/** The tags of the chosen video, or of those that are selected: beside the cards, on narrow screens a sheet. */
export function TagPanel({ isEditor }: { isEditor: boolean }) {
  const list = useSnapshot(videos.state);
  const { chosenId, isPanelOpen } = useSnapshot(tagging);
  const items = panelVideos(list as typeof videos.state, chosenId);
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
      <h2 className={styles.name}>{isOne ? <bdi>{items[0]?.video.filename}</bdi> : `${items.length} videos`}</h2>
      <CurrentTags items={items} isEditor={isEditor} />
      {isEditor && <AddTags items={items} />}
    </>
  );
}

function NoVideo() {
  return <h2 className={styles.none}>Select a Video</h2>;
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
          onPress={() => void play(video)}
        />
      </Preview>
    </div>
  );
}
