import { HttpError } from '#app/platform/http/send.ts';
import { sendOrStore } from '#app/state/outbox/outbox-actions.ts';
import type { VideoTag } from '#contract/entities/tag.ts';
import { limits } from '#contract/limits.ts';

/*
 * Every write of video tagging, one function each. Where there is no network they wait for it; both throw as `call` does,
 * and NotStored where there is no room for what would wait.
 */

/**
 * @param isByFolder the folder of the video gives these tags again
 * @returns all tags of the video afterwards; null: it waits for the network
 */
export async function sendAssignment(path: string, tagIds: string[], isByFolder: boolean): Promise<VideoTag[] | null> {
  const body = { tag_ids: tagIds, confidence_score: limits.confidenceScore, ...(isByFolder && { by_folder: true }) };
  const sent = await sendOrStore('assignTags', { params: { path }, body, subject: nameOf(path) });
  return sent.isStored ? null : sent.reply.tags;
}

/** Removing what is already gone counts as done (§4 Tagging). @returns whether it waits for the network */
export async function sendRemoval(path: string, tagId: string): Promise<boolean> {
  try {
    return (await sendOrStore('removeTag', { params: { path, tagId }, subject: nameOf(path) })).isStored;
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return false;
    throw error;
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
