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
import { Button } from '#app/ui/button.tsx';
import { Page } from '#app/ui/page.tsx';
import { Tabs } from '#app/ui/tabs.tsx';
import * as notices from '#contract/notices.ts';
import { OpenTagDialog } from './dialogs/tag-dialog.tsx';
import { closeTagDialog } from './dialogs/tag-dialogs.ts';
import { openCreation } from './dialogs/tag-forms.ts';
import { TagBulkBar } from './list/tag-bulk-bar.tsx';
import { TagList } from './list/tag-list.tsx';
import { TagTools } from './list/tag-tools.tsx';
import styles from './tag-management-screen.module.css';
import { dismissOutcome, openTags, tagsOutcome } from './tags-store.ts';

interface Props {
  title: string;
  notice: ReactNode;
}

/** §2 Tag Management: all active tags, to be searched, sorted, created, edited and deleted. */
export function TagManagementScreen({ title, notice }: Props) {
  const isEditor = mayEditTags(useSnapshot(session), useSnapshot(siteConfig));
  useEffect(openTags, []);
  useEffect(startOutbox, []);
  useEffect(() => closeTagDialog, []);
  const tabs = currentForm() === 'phone' && (
    <Tabs label="Tagging" tabs={taggingPages} current="tag-management" onChoose={({ name }) => openView(name)} />
  );
  return (
    <Page
      title={title}
      notice={notice}
      tabs={tabs}
      end={isEditor && <Button label="Create Tag" onPress={openCreation} />}
    >
      <div className={styles.messages}>
        {!isEditor && <Banner kind="info" icon={<Info aria-hidden="true" />} sentence={notices.tagsReadOnly} />}
        <Outcome />
      </div>
      <TagTools />
      {isEditor && <TagBulkBar />}
      <TagList isEditor={isEditor} />
      {isEditor && <OpenTagDialog />}
    </Page>
  );
}

function Outcome() {
  const { kind, sentence } = useSnapshot(tagsOutcome);
  const Icon = kind === 'ok' ? CircleCheck : CircleAlert;
  if (sentence === null) return null;
  return <Banner kind={kind} icon={<Icon aria-hidden="true" />} sentence={sentence} onDismiss={dismissOutcome} />;
}
