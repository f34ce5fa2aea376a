import { proxy } from 'valtio/vanilla';
import { createChannelList } from '#app/state/channel-list.ts';
import type { Tag } from '#contract/entities/tag.ts';
import * as failures from '#contract/failures.ts';
import * as notices from '#contract/notices.ts';
import { sendTagMerge } from '../send-tags.ts';
import { dismissOutcome, showOutcome, tags } from '../tags-store.ts';
import { closeTagDialog } from './tag-dialogs.ts';

type Named = Pick<Tag, 'id' | 'name'>;

interface MergeState {
  /** The channel that stays. */
  into: Named | null;
  isBusy: boolean;
  failure: string | null;
}

const initial: MergeState = { into: null, isBusy: false, failure: null };

export const merge = proxy<MergeState>({ ...initial });

/** The channels to choose from. */
export const mergeTargets = createChannelList(failures.loadTags);

/** Loads the channels. Returns what closes them. */
export function openMerge(): () => void {
  Object.assign(merge, initial);
  return mergeTargets.open();
}

export function chooseTarget({ id, name }: Named): void {
  merge.into = { id, name };
}

/** The server merges by itself from here on; the list is loaded again for what it did at once. */
export async function mergeInto({ id, name }: Named): Promise<void> {
  const { into } = merge;
  if (into === null) return;
  dismissOutcome();
  Object.assign(merge, { isBusy: true, failure: null });
  try {
    await sendTagMerge(id, into.id);
    showOutcome('ok', notices.tagMerging(name, into.name));
    closeTagDialog();
    void tags.reload();
  } catch (error) {
    merge.failure = failures.mergeTag(error);
  } finally {
    merge.isBusy = false;
  }
}
