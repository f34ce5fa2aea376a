import { ArrowDownAZ, ArrowDownZA, CircleAlert, CircleCheck, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { mayEditTags } from '#app/state/may.ts';
import { openView, taggingPages } from '#app/state/navigation.ts';
import { startOutbox } from '#app/state/outbox/outbox-session.ts';
import { session } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { Button, IconButton } from '#app/ui/button.tsx';
import { Select } from '#app/ui/form/select.tsx';
import { SearchField } from '#app/ui/form/text-field.tsx';
import { BulkBar } from '#app/ui/list/list-body.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { Page, Tabs } from '#app/ui/page.tsx';
import { countText } from '#app/ui/texts.ts';
import { notices } from '#contract/notices.ts';
import { OpenTagDialog } from './tag-dialog.tsx';
import { closeTagDialog, openCreation, openTagDialog } from './tag-forms.ts';
import { TagTable } from './tag-list.tsx';
import styles from './tag-management-screen.module.css';
import type { TagSort } from './tags-store.ts';
import { dismissOutcome, openTags, tags, tagsOutcome, toggleOrder } from './tags-store.ts';

interface Props {
  title: string;
  notice: ReactNode;
}

/** §2 Tag Management: searches, sorts, creates, edits and deletes active tags. */
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
      <TagTable isEditor={isEditor} />
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

const sorts: readonly { value: TagSort; label: string }[] = [
  { value: 'name', label: 'Name' },
  { value: 'created_at', label: 'Date' },
  { value: 'video_count', label: 'Usage' },
];

/** The search over names and descriptions, and the sort order. */
function TagTools() {
  const { search, filters } = useSnapshot(tags.state, { sync: true });
  const isAscending = filters.order === 'asc';
  const Icon = isAscending ? ArrowDownAZ : ArrowDownZA;
  return (
    <div className={styles.tools}>
      <div className={styles.search}>
        <SearchField
          label="Search by name or description"
          value={search}
          onChange={(text) => tags.typeSearch(text)}
          onApply={() => tags.applySearch()}
          onClear={() => tags.clearSearch()}
        />
      </div>
      <div className={styles.order}>
        <div className={styles.sort}>
          <Select
            label="Sort by"
            isLabelHidden
            options={sorts}
            value={filters.sort}
            onChange={(sort) => tags.filter({ sort })}
          />
        </div>
        <IconButton
          className={styles.direction}
          label={isAscending ? 'Ascending. Sort descending' : 'Descending. Sort ascending'}
          icon={<Icon aria-hidden="true" />}
          onPress={toggleOrder}
        />
      </div>
    </div>
  );
}

/** The actions on the selected tags. */
function TagBulkBar() {
  const { selectedIds } = useSnapshot(tags.state);
  if (selectedIds.length === 0) return null;
  return (
    <BulkBar sentence={`${countText(selectedIds.length, 'tag')} selected`}>
      <Button kind="danger-fill" label="Delete Selected" onPress={() => openTagDialog({ kind: 'delete-selected' })} />
      <Button kind="quiet" label="Clear Selection" onPress={() => tags.clearSelection()} />
    </BulkBar>
  );
}
