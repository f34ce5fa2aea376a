import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/http-error.ts';
import {
  createTag,
  deleteTag,
  deleteTagPermanently,
  mergeTag,
  updateTag,
  updateTagAliases,
} from '#contract/endpoints.ts';
import type { Tag, TagCreation, TagUpdate } from '#contract/entities/tag.ts';

/*
 * Every write of tag management, one function each. All throw as `call` does.
 */

export async function sendTagCreation(body: TagCreation): Promise<Tag> {
  return (await call(createTag, { body })).tag;
}

export async function sendTagUpdate(id: string, body: TagUpdate): Promise<Tag> {
  return (await call(updateTag, { params: { id }, body })).tag;
}

export async function sendTagRemoval(id: string): Promise<void> {
  await asDone(call(deleteTag, { params: { id } }));
}

export async function sendPermanentTagRemoval(id: string): Promise<void> {
  await asDone(call(deleteTagPermanently, { params: { id } }));
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
async function asDone(removal: Promise<unknown>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!(error instanceof HttpError && error.status === 404)) throw error;
  }
}
