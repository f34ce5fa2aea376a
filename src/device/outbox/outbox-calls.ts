import {
  assignTags,
  createTag,
  deleteTag,
  removeTag,
  updateBlocklist,
  updateProfile,
  updateTag,
} from '#contract/endpoints.ts';

/**
 * The only calls that may wait for the network. Nothing with a password, an address or an agreement is among them: of
 * the profile, settings alone.
 */
export const outboxCalls = {
  createTag,
  updateTag,
  deleteTag,
  assignTags,
  removeTag,
  updateBlocklist,
  updateProfile,
} as const;

export type OutboxCallName = keyof typeof outboxCalls;

/** What it takes away may be gone already. */
const removals: readonly OutboxCallName[] = ['deleteTag', 'removeTag'];

export function isRemoval(call: OutboxCallName): boolean {
  return removals.includes(call);
}

/** Whether this may be stored: checked when it is added, and again when it is read. */
export function isOutboxCall({ call, body }: { readonly call: string; readonly body: unknown }): boolean {
  if (!Object.keys(outboxCalls).includes(call)) return false;
  return call !== 'updateProfile' || Object.keys(Object(body)).join() === 'settings';
}
