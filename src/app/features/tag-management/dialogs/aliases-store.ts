import { proxy } from 'valtio/vanilla';
import { createForm } from '#app/ui/form/form.ts';
import type { Tag } from '#contract/entities/tag.ts';
import * as failures from '#contract/failures.ts';
import { checkAliases, checkTagName } from '#contract/rules/tag.ts';
import { updateAliases } from '../tags-store.ts';
import { closeTagDialog, openTagDialog } from './tag-dialogs.ts';

interface AliasesState {
  /** As they will be saved, in the order of adding. */
  names: string[];
  isBusy: boolean;
  /** Why they were not saved. */
  failure: string | null;
}

const initial: AliasesState = { names: [], isBusy: false, failure: null };

export const aliases = proxy<AliasesState>({ ...initial });

let tag = { id: '', name: '' };

/** A name that is added to the list; it is sent with the whole list. */
export const aliasForm = createForm({
  empty: { alias: '' },
  check: ({ alias }) => ({ alias: checkNewAlias(alias.trim()) }),
  send: async ({ alias }) => {
    aliases.names = [...aliases.names, alias.trim()];
    aliasForm.reset();
  },
});

export function openAliases({
  id,
  name,
  aliases: names,
}: Readonly<Pick<Tag, 'id' | 'name'>> & { readonly aliases: readonly string[] }): void {
  tag = { id, name };
  Object.assign(aliases, { ...initial, names: [...names] });
  aliasForm.reset();
  openTagDialog({ kind: 'aliases', tag });
}

export function removeAlias(name: string): void {
  aliases.names = aliases.names.filter((one) => one !== name);
}

export async function saveAliases(): Promise<void> {
  const { id } = tag;
  Object.assign(aliases, { isBusy: true, failure: null });
  try {
    await updateAliases(id, [...aliases.names]);
    if (tag.id === id) closeTagDialog();
  } catch (error) {
    aliases.failure = failures.updateTag(error);
  } finally {
    aliases.isBusy = false;
  }
}

function checkNewAlias(alias: string): string | null {
  const isKnown = [tag.name, ...aliases.names].some((name) => name.toLowerCase() === alias.toLowerCase());
  return checkTagName(alias) ?? (isKnown ? 'It has this name already' : checkAliases([...aliases.names, alias]));
}
