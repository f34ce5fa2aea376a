import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/http-error.ts';
import { assignTags, removeTag } from '#contract/endpoints.ts';
import type { TagLabel } from '#contract/entities/tag.ts';
import { limits } from '#contract/limits.ts';

/*
 * Every write of video tagging, one function each. All throw as `call` does.
 */

/** @returns all tags of the video afterwards */
export async function sendAssignment(path: string, tagIds: string[]): Promise<TagLabel[]> {
  const body = { tag_ids: tagIds, confidence_score: limits.confidenceScore };
  return (await call(assignTags, { params: { path }, body })).tags;
}

/** Removing what is already gone counts as done (§4 Tagging). */
export async function sendRemoval(path: string, tagId: string): Promise<void> {
  try {
    await call(removeTag, { params: { path, tagId } });
  } catch (error) {
    if (!(error instanceof HttpError && error.status === 404)) throw error;
  }
}
