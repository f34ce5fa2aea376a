import { ChevronRight, CornerLeftUp, Folder } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useRef, useState } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { focusStart } from '#app/platform/input/focus-scopes.ts';
import { currentInput } from '#app/platform/input/screen-form.ts';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Notice } from '#app/ui/card.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { useForm } from '#app/ui/form/form.ts';
import { TextField } from '#app/ui/form/text-field.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import { confirmations } from '#contract/confirmations.ts';
import type { FolderList, SettingFolder, SiteSettings } from '#contract/entities/site.ts';
import { settingLabels } from '#contract/rules/site-settings.ts';
import styles from './library-folders.module.css';
import shared from './section.module.css';
import { EntryRow } from './section-parts.tsx';
import { folderWords } from './settings-cards.ts';
import {
  addFolder,
  createFolderForm,
  findSetting,
  folderSearch,
  lookIntoFolder,
  openFolderSearch,
  removeFolder,
  settingActions,
} from './settings-store.ts';

/** The card that shows how a change of the folders went. */
const card = settingLabels.LIBRARY_DIRS;

/** The folders of the library: they are removed, chosen, or named by their path. */
export function LibraryFolders({ settings }: { settings: Snapshot<SiteSettings> }) {
  const { notice } = useSnapshot(settingActions);
  const [removing, setRemoving] = useState<string | null>(null);
  const [isChoosing, setChoosing] = useState(false);
  const isGiven = findSetting(settings, 'LIBRARY_DIRS')?.source === 'environment';
  const remove = (folder: string) => {
    setRemoving(null);
    void removeFolder(card, folder);
  };
  const choose = (folder: string) => {
    setChoosing(false);
    void addFolder(card, folder);
  };
  return (
    <>
      <div className={shared.fields}>
        {settings.folders.length === 0 ? (
          <p className={shared.quiet}>No folders yet.</p>
        ) : (
          <ul aria-label={card}>
            {settings.folders.map((facts) => (
              <FolderEntry key={facts.folder} facts={facts} onRemove={isGiven ? null : setRemoving} />
            ))}
          </ul>
        )}
        {isGiven ? (
          <p className={shared.quiet}>Set by the environment</p>
        ) : (
          <NewFolder isFirst={settings.folders.length === 0} onChoose={() => setChoosing(true)} />
        )}
        <Notice notice={notice?.card === card ? notice : null} />
      </div>
      {isChoosing && <FolderDialog onChoose={choose} onClose={() => setChoosing(false)} />}
      {removing !== null && (
        <ConfirmDialog
          title="Remove Folder"
          sentence={confirmations.removeFolder(removing)}
          action="Remove Folder"
          onConfirm={() => remove(removing)}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  );
}

interface FolderEntryProps {
  facts: Readonly<SettingFolder>;
  /** Null where the folders cannot be changed here. */
  onRemove: ((folder: string) => void) | null;
}

function FolderEntry({ facts, onRemove }: FolderEntryProps) {
  const { isReachable } = useSnapshot(connection);
  const { folder } = facts;
  const button = onRemove && (
    <Button
      kind="line"
      label="Remove"
      name={`Remove ${folder}`}
      isDisabled={!isReachable}
      onPress={() => onRemove(folder)}
    />
  );
  return (
    <EntryRow label={<bdi>{folder}</bdi>} actions={button}>
      <p>{folderWords(facts)}</p>
    </EntryRow>
  );
}

function NewFolder({ isFirst, onChoose }: { isFirst: boolean; onChoose: () => void }) {
  const [form] = useState(() => createFolderForm(card));
  const { state, field, formProps } = useForm(form);
  const { isReachable } = useSnapshot(connection);
  return (
    <form {...formProps} className={shared.fields}>
      <div className={shared.buttons}>
        <Button
          kind={isFirst ? 'primary' : 'tonal'}
          label="Choose a Folder"
          icon={<Folder aria-hidden="true" />}
          isFirst
          isDisabled={!isReachable}
          onPress={onChoose}
        />
      </div>
      <TextField
        label="New folder"
        autoComplete="off"
        autoCapitalize="none"
        hint="A path on the server, such as /srv/videos. What is below it comes along."
        {...field('LIBRARY_DIRS')}
      />
      {!isReachable && <p className={shared.quiet}>Needs a connection</p>}
      <div className={shared.buttons}>
        <Button kind="tonal" submits label={state.isBusy ? 'Adding...' : 'Add Folder'} isDisabled={!isReachable} />
      </div>
      {state.refusal !== null && <Notice notice={{ kind: 'danger', sentence: state.refusal }} />}
    </form>
  );
}

interface FolderDialogProps {
  onChoose: (folder: string) => void;
  onClose: () => void;
}

/** Looks for a folder on the server's disk. */
function FolderDialog({ onChoose, onClose }: FolderDialogProps) {
  useBackLayer(onClose);
  useEffect(openFolderSearch, []);
  const state = useSnapshot(folderSearch.state);
  const { value } = state;
  return (
    <Modal title="Choose a Folder" onClose={onClose}>
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void folderSearch.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={null}
      >
        {value && <SearchedFolder key={value.path} list={value} onChoose={onChoose} />}
      </ListBody>
    </Modal>
  );
}

/** One folder of the server's disk, with the ways into others. */
function SearchedFolder({ list, onChoose }: { list: Snapshot<FolderList>; onChoose: (folder: string) => void }) {
  const { path, parent, folders, is_more } = list;
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => (content.current ? showStart(content.current) : undefined), []);
  return (
    <div ref={content} className={shared.lines}>
      {path !== '' && (
        <>
          <p className={shared.path}>
            <bdi>{path}</bdi>
          </p>
          <div className={shared.buttons}>
            <Button label="Use This Folder" isFirst={folders.length === 0} onPress={() => onChoose(path)} />
            {parent !== null && (
              <Button
                kind="line"
                label="Up"
                icon={<CornerLeftUp aria-hidden="true" />}
                onPress={() => lookIntoFolder(parent)}
              />
            )}
          </div>
        </>
      )}
      {folders.length === 0 && <p className={shared.quiet}>{path === '' ? nowhere : 'It has no folders in it.'}</p>}
      <ul className={styles.folders}>
        {folders.map((folder, at) => (
          <FolderRow key={folder.path} isFirst={at === 0} onPress={() => lookIntoFolder(folder.path)}>
            {folder.name}
          </FolderRow>
        ))}
      </ul>
      {is_more && (
        <p className={shared.quiet}>There are more folders than these. Name the one that you want by its path.</p>
      )}
    </div>
  );
}

const nowhere =
  'The operator has named no folders to look into (BROWSE_ROOTS). Name the one that you want by its path.';

/** Shows the start of a folder, wherever the last one was scrolled to. */
function showStart(content: HTMLElement): void {
  content.parentElement?.scrollTo(0, 0);
  if (currentInput() !== 'touch') focusStart(content);
}

function FolderRow({ isFirst, onPress, children }: { isFirst: boolean; onPress: () => void; children: ReactNode }) {
  return (
    <li>
      <button type="button" className={styles.folder} data-focus-first={isFirst || undefined} onClick={onPress}>
        <Folder aria-hidden="true" />
        <bdi className={styles.name}>{children}</bdi>
        <ChevronRight aria-hidden="true" />
      </button>
    </li>
  );
}
