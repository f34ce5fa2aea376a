import { proxy } from 'valtio/vanilla';
import type { Tag } from '#contract/entities/tag.ts';

/** What a dialog has to know of the tag that it was opened for. */
type DialogTag = Readonly<Pick<Tag, 'id' | 'name'>>;

export type TagDialog =
  | { kind: 'create' | 'delete-selected' }
  | { kind: 'edit' | 'delete' | 'more' | 'aliases' | 'merge' | 'delete-permanently'; tag: DialogTag };

/** The dialog over the list, if one is open. */
export const openedDialog = proxy<{ current: TagDialog | null }>({ current: null });

export function openTagDialog(dialog: TagDialog): void {
  openedDialog.current = dialog;
}

export function closeTagDialog(): void {
  openedDialog.current = null;
}
