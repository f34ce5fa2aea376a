import { proxy } from 'valtio/vanilla';
import { HttpError } from '#app/platform/http/send.ts';
import type { Tag, TagLabel } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import { checkTagName } from '#contract/rules/tag.ts';
import { isUnsent } from '#device/outbox-entry.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { now } from '#device/timers.ts';
import { createChannelList, isFound } from './channels.ts';
import { sendOrStore } from './outbox/outbox-actions.ts';
import { outbox } from './outbox/outbox-state.ts';
import { session } from './session.ts';

interface CreationState {
  /** Whether a channel is being created. */
  isBusy: boolean;
  /** The result for the last name. `tagId` is null when the name was refused. */
  outcome: { name: string; tagId: string | null; sentence: string } | null;
}

const initial: CreationState = { isBusy: false, outcome: null };

/** A list of channels to choose from, which also creates a channel of the name that is typed. */
export class ChannelCreation {
  readonly state = proxy<CreationState>({ ...initial });
  readonly list: ReturnType<typeof createChannelList>;

  /** @param toSentence the sentence for a list that failed to load */
  constructor(toSentence?: (error: unknown) => string) {
    this.list = createChannelList(toSentence, findWaiting);
  }

  /** Opens the list. Returns a function that closes it. */
  open(): () => void {
    Object.assign(this.state, initial);
    return this.list.open();
  }

  /** Lists the channels as the server has them, once those that waited were sent. */
  async refresh(): Promise<void> {
    this.state.outcome = null;
    await this.list.reload();
  }

  /**
   * Creates a channel of the typed name. Without a network it has a temporary id until it is sent.
   * @returns null when the name is refused, which `state` tells
   */
  async create(): Promise<TagLabel | null> {
    const name = this.list.state.search.trim();
    if (this.state.isBusy) return null;
    this.state.isBusy = true;
    try {
      const { tag, sentence } = await sendCreation(name);
      this.list.update((items) => (items.some(({ id }) => id === tag.id) ? items : [tag, ...items]));
      this.state.outcome = { name, tagId: tag.id, sentence };
      return { id: tag.id, name: tag.name, color: tag.color };
    } catch (error) {
      this.state.outcome = { name, tagId: null, sentence: failures.createTag(error) };
      // The name may have been taken by somebody else, whose channel is listed then.
      if (error instanceof HttpError && error.status === 409) void this.list.reload();
      return null;
    } finally {
      this.state.isBusy = false;
    }
  }
}

/**
 * Creates the channel, or stores its creation.
 * @throws what `sendOrStore` throws, or an error with the sentence for a name that is not allowed
 */
async function sendCreation(name: string): Promise<{ tag: Tag; sentence: string }> {
  const problem = checkTagName(name);
  if (problem !== null) throw new Error(problem);
  const sent = await sendOrStore('createTag', { body: { name }, subject: name });
  if (!sent.isStored) return { tag: sent.reply.tag, sentence: notices.channelCreated(name) };
  return { tag: toWaitingTag(sent.temporaryId ?? '', name, now()), sentence: notices.changeWaits };
}

/** The channels that a search finds among those that wait for the network. */
function findWaiting(search: string): Tag[] {
  return outbox.entries.flatMap((entry) => {
    const { call, temporaryId, subject, createdAt } = entry;
    const isWaiting = call === 'createTag' && isUnsent(entry) && temporaryId !== null;
    const name = subject ?? '';
    return isWaiting && isFound(name, search) ? [toWaitingTag(temporaryId, name, createdAt)] : [];
  });
}

function toWaitingTag(id: string, name: string, createdAt: number): Tag {
  const facts = { description: '', color: limits.tagColor, video_count: 0, active: true, aliases: [] };
  return { id, name, ...facts, created_at: new Date(createdAt).toISOString() };
}

/** Reads which ids the server has given to channels in place of their temporary ones. */
export async function readGivenIds(tagIds: readonly string[]): Promise<(tagId: string) => string> {
  const userId = session.user?.id;
  if (userId === undefined) return (tagId) => tagId;
  const { body } = await outboxStore.resolve(userId, { params: null, body: { tag_ids: tagIds } });
  return (tagId) => body.tag_ids[tagIds.indexOf(tagId)] ?? tagId;
}
