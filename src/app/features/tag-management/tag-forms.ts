import { proxy } from 'valtio/vanilla';
import { createForm } from '#app/ui/form/form.ts';
import type { Tag, TagUpdate } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { checkTagColor, checkTagDescription, checkTagName } from '#contract/rules/tag.ts';
import { createTag, showOutcome, updateTag } from './tags-store.ts';

type TagValues = Pick<Tag, 'name' | 'description' | 'color'>;

/** `audience` is a `TagAudience`, which only administrators change. */
type FormValues = TagValues & { audience: string };

const empty: FormValues = { name: '', description: '', color: limits.tagColor, audience: 'anyone' };

let edited = { id: '', name: '' };

export const creationForm = createForm({
  empty,
  check,
  toRefusal: failures.createTag,
  send: ({ name, description, color }, signal) =>
    finish(createTag(trim({ name, description, color })), signal, failures.createTag),
});

export const editForm = createForm({
  empty,
  check,
  toRefusal: failures.updateTag,
  send: (_, signal, changed) => finish(updateTag(edited, trim(changed) as TagUpdate), signal, failures.updateTag),
});

export function openCreation(): void {
  creationForm.reset();
  openTagDialog({ kind: 'create' });
}

export function openEdit(tag: Readonly<Pick<Tag, 'id' | 'audience' | keyof TagValues>>): void {
  const { id, name, description, color, audience = 'anyone' } = tag;
  edited = { id, name };
  editForm.reset({ name, description, color, audience });
  openTagDialog({ kind: 'edit', tag: { id, name } });
}

function check({ name, description, color }: FormValues) {
  return {
    name: checkTagName(name),
    description: checkTagDescription(description),
    color: checkTagColor(color.trim()),
  };
}

function trim<Trimmed extends Partial<FormValues>>(values: Trimmed): Trimmed {
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, text.trim()])) as Trimmed;
}

/**
 * Closes the dialog when the write is done. If it was closed meanwhile, a failure is shown on the
 * screen instead.
 * @throws what the write throws, while the dialog is open
 */
export async function finish(write: Promise<void>, signal: AbortSignal, toSentence: (error: unknown) => string) {
  try {
    await write;
    if (!signal.aborted) closeTagDialog();
  } catch (error) {
    if (!signal.aborted) throw error;
    showOutcome('danger', toSentence(error));
  }
}

/** The tag that a dialog was opened for. */
type DialogTag = Readonly<Pick<Tag, 'id' | 'name'>>;

export type TagDialog =
  | { kind: 'create' | 'delete-selected' }
  | { kind: 'edit' | 'delete' | 'more' | 'aliases' | 'merge' | 'delete-permanently'; tag: DialogTag };

/** The dialog over the list, if one is open. */
export const openedDialog = proxy<{ current: TagDialog | null }>({ current: null });

/** Aborted when the dialog closes or another one replaces it. */
let opened = new AbortController();

export function dialogSignal(): AbortSignal {
  return opened.signal;
}

export function openTagDialog(dialog: TagDialog): void {
  closeTagDialog();
  opened = new AbortController();
  openedDialog.current = dialog;
}

export function closeTagDialog(): void {
  opened.abort();
  openedDialog.current = null;
}
