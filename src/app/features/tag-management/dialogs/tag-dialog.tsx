import type { ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { OptionsDialog } from '#app/ui/form/options-dialog.tsx';
import { ConfirmDialog } from '#app/ui/overlay/confirm-dialog.tsx';
import * as confirmations from '#contract/confirmations.ts';
import { removeTag, removeTags, tags } from '../tags-store.ts';
import { AliasesDialog } from './aliases-dialog.tsx';
import { openAliases } from './aliases-store.ts';
import { MergeDialog } from './merge-dialog.tsx';
import type { TagDialog } from './tag-dialogs.ts';
import { closeTagDialog, openedDialog, openTagDialog } from './tag-dialogs.ts';
import { TagFormDialog } from './tag-form-dialog.tsx';
import { creationForm, editForm } from './tag-forms.ts';

/** The dialog over the list, if one is open. */
export function OpenTagDialog() {
  const { current } = useSnapshot(openedDialog);
  return current && draw(current);
}

function draw(dialog: TagDialog): ReactNode {
  switch (dialog.kind) {
    case 'create':
      return <TagFormDialog form={creationForm} title="Create Tag" action="Create Tag" busy="Creating..." />;
    case 'edit':
      return (
        <TagFormDialog form={editForm} title="Edit Tag" action="Update Tag" busy="Updating..." isColorTextReadOnly />
      );
    case 'delete-selected':
      return <SelectedRemoval />;
    case 'more':
      return <MoreDialog {...dialog} />;
    case 'aliases':
      return <AliasesDialog name={dialog.tag.name} />;
    case 'merge':
      return <MergeDialog tag={dialog.tag} />;
    default:
      return <Removal {...dialog} isPermanent={dialog.kind === 'delete-permanently'} />;
  }
}

type TagProps = Extract<TagDialog, { tag: unknown }>;

function Removal({ tag: { id, name }, isPermanent }: TagProps & { isPermanent: boolean }) {
  const remove = () => {
    closeTagDialog();
    void removeTag({ id, name }, { isPermanent });
  };
  return (
    <ConfirmDialog
      title={isPermanent ? 'Delete permanently' : `Delete ${name}`}
      sentence={isPermanent ? confirmations.deleteTagPermanently(name) : confirmations.deleteTag}
      action="Delete"
      onConfirm={remove}
      onClose={closeTagDialog}
    />
  );
}

function SelectedRemoval() {
  const { selectedIds } = useSnapshot(tags.state);
  const remove = () => {
    closeTagDialog();
    void removeTags(selectedIds);
  };
  return (
    <ConfirmDialog
      title="Delete Selected"
      sentence={confirmations.deleteTags(selectedIds.length)}
      action="Delete"
      onConfirm={remove}
      onClose={closeTagDialog}
    />
  );
}

type AdminAction = 'delete' | 'aliases' | 'merge' | 'delete-permanently';

const adminActions: readonly { value: AdminAction; label: string }[] = [
  { value: 'aliases', label: 'Other names' },
  { value: 'merge', label: 'Merge into...' },
  { value: 'delete', label: 'Delete' },
  { value: 'delete-permanently', label: 'Delete permanently' },
];

/** What administrators alone do with a tag. */
function MoreDialog({ tag }: TagProps) {
  const open = (kind: AdminAction) => {
    if (kind !== 'aliases') return openTagDialog({ kind, tag });
    const row = tags.state.items.find(({ id }) => id === tag.id);
    if (row) openAliases(row);
    else closeTagDialog();
  };
  return (
    <OptionsDialog title={tag.name} options={adminActions} value={null} onChoose={open} onClose={closeTagDialog} />
  );
}
