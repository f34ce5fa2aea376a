import { CircleAlert, CircleCheck, Info, Keyboard } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { may, mayEditTags, stepSeconds } from '#app/state/may.ts';
import { openView, taggingPages } from '#app/state/navigation.ts';
import { startOutbox } from '#app/state/outbox/outbox-session.ts';
import { watchHiding } from '#app/state/revision.ts';
import { session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { requestVideoAct } from '#app/state/view-requests.ts';
import { Button, IconButton } from '#app/ui/button.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { SearchField } from '#app/ui/form/text-field.tsx';
import { BulkBar } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { PlayerModal, VideoActButtons } from '#app/ui/media/player-modal.tsx';
import { Banner, Toast } from '#app/ui/messages.tsx';
import { Page, Tabs } from '#app/ui/page.tsx';
import { useNarrow } from '#app/ui/store-hooks.ts';
import { countText } from '#app/ui/texts.ts';
import { notices } from '#contract/notices.ts';
import { changes, dismissChangeFailure, dismissDone, undo } from './change-tags.ts';
import { TagPanel } from './tag-panel.tsx';
import { KeysDialog, loadMostUsed, watchTaggingKeys } from './tagging-keys.tsx';
import {
  closeTaggingPlayer,
  openPanel,
  openTagging,
  showHelp,
  startSelecting,
  stopSelecting,
  tagging,
  taggingPlayer,
} from './tagging-store.ts';
import { VideoGrid } from './video-grid.tsx';
import styles from './video-tagging-screen.module.css';
import { countsNow, loaded, taggingVideos } from './videos-store.ts';

interface Props {
  title: string;
  notice: ReactNode;
}

/** §2 Video Tagging: videos as cards, and the tags of the chosen or selected ones. */
export function VideoTaggingScreen({ title, notice }: Props) {
  const isEditor = mayEditTags(useSnapshot(session), useSnapshot(siteConfig));
  const { isHelpOpen } = useSnapshot(tagging);
  useEffect(openTagging, []);
  useEffect(startOutbox, []);
  useEffect(loadMostUsed, []);
  useEffect(watchTaggingKeys, []);
  const tabs = currentForm() === 'phone' && (
    <Tabs label="Tagging" tabs={taggingPages} current="video-tagging" onChoose={({ name }) => openView(name)} />
  );
  return (
    <Page title={title} notice={notice} tabs={tabs} lead={<UntaggedLine />} end={<TaggingCounts />}>
      <div className={styles.messages}>
        {!isEditor && <Banner kind="info" icon={<Info aria-hidden="true" />} sentence={notices.tagsReadOnly} />}
        <Failure />
      </div>
      <div className={styles.columns}>
        <div className={styles.main}>
          <TaggingTools isEditor={isEditor} />
          {isEditor && <SelectionBar />}
          <VideoGrid isEditor={isEditor} />
        </div>
        <TagPanel isEditor={isEditor} />
      </div>
      <Done />
      <TaggingPlayer />
      {isHelpOpen && <KeysDialog />}
    </Page>
  );
}

function Failure() {
  const { failure } = useSnapshot(changes);
  if (failure === null) return null;
  return (
    <Banner
      kind="danger"
      icon={<CircleAlert aria-hidden="true" />}
      sentence={failure}
      onDismiss={dismissChangeFailure}
    />
  );
}

/** The last change, with a button to undo it. */
function Done() {
  const { done } = useSnapshot(changes);
  if (done === null) return null;
  return (
    <Toast
      icon={<CircleCheck aria-hidden="true" />}
      sentence={done.sentence}
      {...(done.canUndo && { action: { label: 'Undo', onPress: () => void undo() } })}
      onDismiss={dismissDone}
    />
  );
}

/** The search, which starts on Enter, the two filters, and the buttons for selection and keys. */
function TaggingTools({ isEditor }: { isEditor: boolean }) {
  const { search, filters, items } = useSnapshot(taggingVideos.state, { sync: true });
  const { isSelecting } = useSnapshot(tagging);
  return (
    <div className={styles.tools}>
      <div className={styles.search}>
        <SearchField
          label="Search videos"
          value={search}
          onChange={(text) => taggingVideos.typeSearch(text)}
          onApply={() => taggingVideos.applySearch()}
          onClear={() => taggingVideos.clearSearch()}
        />
      </div>
      <CheckRow
        label="Show untagged only"
        isOn={filters.isUntaggedOnly}
        onChange={(isUntaggedOnly) => taggingVideos.filter({ isUntaggedOnly })}
      />
      <CheckRow
        label="Untagged first"
        isOn={filters.isUntaggedFirst}
        onChange={(isUntaggedFirst) => taggingVideos.filter({ isUntaggedFirst })}
      />
      <div className={styles.end} data-focus-first={items.length === 0 || undefined} data-awaits-cards>
        {isEditor && !isSelecting && <Button kind="quiet" label="Select" onPress={startSelecting} />}
        <IconButton
          className={styles.keys}
          label="Shortcuts"
          icon={<Keyboard aria-hidden="true" />}
          onPress={() => showHelp(true)}
        />
      </div>
    </div>
  );
}

/** The actions on the selection, while videos are selected or being selected. */
function SelectionBar() {
  const { selectedIds } = useSnapshot(taggingVideos.state);
  const { isSelecting } = useSnapshot(tagging);
  const isNarrow = useNarrow();
  if (selectedIds.length === 0 && !isSelecting) return null;
  return (
    <BulkBar sentence={`${countText(selectedIds.length, 'video')} selected`}>
      {isNarrow && selectedIds.length > 0 && <Button kind="quiet" label="Add Tags" onPress={openPanel} />}
      <Button kind="quiet" label="Select all" onPress={() => taggingVideos.toggleAll()} />
      <Button kind="quiet" label="Clear Selection" onPress={stopSelecting} />
    </BulkBar>
  );
}

/** The number of untagged videos, tagged videos and all videos. */
function TaggingCounts() {
  const { counts, isLoading } = useCounts();
  if (counts === null && !isLoading) return null;
  return (
    <dl className={styles.counts}>
      {(['untagged', 'tagged', 'total'] as const).map((name) => (
        <div key={name} className={styles.count}>
          <dt className={styles.name}>{name}</dt>
          <dd className={styles.number}>{counts?.[name].toLocaleString() ?? unknown}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The number of untagged videos, under the title. */
function UntaggedLine() {
  const { counts, isLoading } = useCounts();
  if (counts === null) return isLoading && unknown;
  const { untagged } = counts;
  return `${untagged.toLocaleString()} ${untagged === 1 ? 'video needs' : 'videos need'} tags`;
}

/** A no-break space keeps the room of a number that is still loading: nothing below it moves later. */
const unknown = '\u00a0';

function useCounts() {
  const list = useSnapshot(taggingVideos.state);
  return { counts: countsNow(useSnapshot(loaded), list.items), isLoading: faceOf(list) === 'loading' };
}

/** The video that plays over the screen, if one does. */
function TaggingPlayer() {
  const { video } = useSnapshot(taggingPlayer);
  const viewer = useSnapshot(session);
  const own = useSnapshot(settings);
  const id = video?.id;
  useEffect(() => (id === undefined ? undefined : watchHiding(id, () => leave(id))), [id]);
  if (video === null) return null;
  return (
    <PlayerModal
      title={video.title}
      url={video.url}
      posterUrl={video.poster_url}
      seekStepSeconds={stepSeconds(viewer, own)}
      actions={
        <VideoActButtons
          onReport={() => requestVideoAct({ kind: 'report', video })}
          onHide={may('admin_panel', viewer) ? () => requestVideoAct({ kind: 'hide', video, onHidden: leave }) : null}
        />
      }
      onClose={closeTaggingPlayer}
    />
  );
}

/** Leaves a video that was hidden. */
function leave(id: string): void {
  if (taggingPlayer.video?.id === id) closeTaggingPlayer();
  void taggingVideos.reload();
}
