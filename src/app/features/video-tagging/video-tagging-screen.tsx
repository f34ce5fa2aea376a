import { CircleAlert, CircleCheck, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { mayEditTags } from '#app/state/may.ts';
import { openView, taggingPages } from '#app/state/navigation.ts';
import { startOutbox } from '#app/state/outbox/outbox-session.ts';
import { session } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { Banner } from '#app/ui/banner.tsx';
import { Toast } from '#app/ui/overlay/toast.tsx';
import { Page } from '#app/ui/page.tsx';
import { Tabs } from '#app/ui/tabs.tsx';
import * as notices from '#contract/notices.ts';
import { changes, dismissChangeFailure, dismissDone, undo } from './edits/change-tags.ts';
import { VideoGrid } from './grid/video-grid.tsx';
import { KeysDialog } from './keys/keys-dialog.tsx';
import { loadMostUsed } from './keys/most-used.ts';
import { watchKeys } from './keys/tagging-keys.ts';
import { TagPanel } from './panel/tag-panel.tsx';
import { TaggingPlayer } from './tagging-player.tsx';
import { openTagging, tagging } from './tagging-store.ts';
import { TaggingCounts, UntaggedLine } from './tools/tagging-counts.tsx';
import { SelectionBar, TaggingTools } from './tools/tagging-tools.tsx';
import styles from './video-tagging-screen.module.css';

interface Props {
  title: string;
  notice: ReactNode;
}

/** §2 Video Tagging: videos as cards, and the tags of the chosen one or of several. */
export function VideoTaggingScreen({ title, notice }: Props) {
  const isEditor = mayEditTags(useSnapshot(session), useSnapshot(siteConfig));
  const { isHelpOpen } = useSnapshot(tagging);
  useEffect(openTagging, []);
  useEffect(startOutbox, []);
  useEffect(loadMostUsed, []);
  useEffect(watchKeys, []);
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

/** What was done last, and its way back. */
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
