import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { sendOrStore } from '#app/state/outbox/outbox-actions.ts';
import { deleteTagPermanently, mergeTag, updateTagAliases } from '#contract/endpoints.ts';
import type { Tag, TagCreation, TagUpdate } from '#contract/entities/tag.ts';

/*
 * Every write of tag management, one function each. Those that may wait for the network do; all throw as `call` does, and
 * NotStored where there is no room for what would wait.
 */

/** The name is what the list of waiting changes says. */
type NamedTag = Pick<Tag, 'id' | 'name'>;

/** @returns the tag, or the id that stands for it while it waits for the network */
export async function sendTagCreation(body: TagCreation): Promise<Tag | { waitingId: string | null }> {
  const sent = await sendOrStore('createTag', { body, subject: body.name });
  return sent.isStored ? { waitingId: sent.temporaryId } : sent.reply.tag;
}

/** @returns whether it waits for the network */
export async function sendTagUpdate({ id, name }: NamedTag, body: TagUpdate): Promise<boolean> {
  return (await sendOrStore('updateTag', { params: { id }, body, subject: name })).isStored;
}

/** @returns whether it waits for the network */
export async function sendTagRemoval({ id, name }: NamedTag): Promise<boolean> {
  return asDone(sendOrStore('deleteTag', { params: { id }, subject: name }));
}

export async function sendPermanentTagRemoval(id: string): Promise<void> {
  await asDone(call(deleteTagPermanently, { params: { id } }).then(() => ({ isStored: false })));
}

/** @param aliases all other names that the tag has from then on */
export async function sendTagAliases(id: string, aliases: string[]): Promise<Tag> {
  return (await call(updateTagAliases, { params: { id }, body: { aliases } })).tag;
}

/** Begins to merge: the server goes on by itself. */
export async function sendTagMerge(id: string, into: string): Promise<void> {
  await call(mergeTag, { params: { id }, body: { into } });
}

/** Removing what is already gone counts as done (§4 Tagging). */
async function asDone(removal: Promise<{ isStored: boolean }>): Promise<boolean> {
  try {
    return (await removal).isStored;
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return false;
    throw error;
  }
}
