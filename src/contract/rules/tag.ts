import { limits } from '#contract/limits.ts';
import { tierRanks } from '#contract/rules/plans.ts';
import { hasHiddenInName, hasMoreCharacters, nameKey } from './text.ts';
import type { Tier } from './tiers.ts';

export const tagSorts = ['name', 'created_at', 'video_count'] as const;

export const sortOrders = ['asc', 'desc'] as const;

/** The colors that the picker offers. New channels from folders take theirs from here. */
export const tagPalette: readonly { value: string; label: string }[] = [
  { value: limits.tagColor, label: 'Blue' },
  { value: '#22C55E', label: 'Green' },
  { value: '#EAB308', label: 'Yellow' },
  { value: '#F97316', label: 'Orange' },
  { value: '#EF4444', label: 'Red' },
  { value: '#EC4899', label: 'Pink' },
  { value: '#8B5CF6', label: 'Violet' },
  { value: '#94A3B8', label: 'Grey' },
];

/**
 * A color of the palette, always the same one for the same name (FNV-1a, its upper half folded in).
 */
export function colorOfName(name: string): string {
  let hash = 0x811c9dc5;
  for (const character of nameKey(name)) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  const place = ((hash ^ (hash >>> 16)) >>> 0) % tagPalette.length;
  return tagPalette[place]?.value ?? limits.tagColor;
}

export function checkTagName(name: string): string | null {
  const trimmed = name.trim();
  if (trimmed === '') return 'Tag name is required';
  if (hasMoreCharacters(trimmed, limits.tagNameCharacters))
    return `Tag name must be at most ${limits.tagNameCharacters} characters`;
  return hasHiddenInName(trimmed) ? 'Tag name must not contain hidden characters' : null;
}

export function checkTagDescription(description: string): string | null {
  if (hasMoreCharacters(description.trim(), limits.tagDescriptionCharacters))
    return `Description must be at most ${limits.tagDescriptionCharacters} characters`;
  // PostgreSQL cannot store it.
  return description.includes('\0') ? 'Description must not contain hidden characters' : null;
}

export function checkTagColor(color: string): string | null {
  return /^#[0-9A-Fa-f]{6}$/.test(color) ? null : `Color must be written like ${limits.tagColor}`;
}

/** Checks the number of tags that one call assigns to a video. */
export function checkAssignedTags(tagIds: readonly string[]): string | null {
  if (tagIds.length === 0) return 'Select at least one tag';
  return tagIds.length > limits.assignedTags ? `At most ${limits.assignedTags} tags can be assigned at once` : null;
}

/** Checks the number of other names of a tag. */
export function checkAliases(aliases: readonly string[]): string | null {
  return aliases.length > limits.tagAliases ? `There can be at most ${limits.tagAliases} other names` : null;
}

/** For whom a channel is, from the widest to the narrowest (§3 Tag). */
export const tagAudiences = ['anyone', 'user', 'pro', 'lifetime', 'admin'] as const;
export type TagAudience = (typeof tagAudiences)[number];

/** The words for each of them. */
export const audienceLabels: Readonly<Record<TagAudience, string>> = {
  anyone: 'Everybody',
  user: 'Signed in',
  pro: 'Pro and above',
  lifetime: 'Lifetime',
  admin: 'Administrators',
};

/** The least rank of a viewer who sees a channel: 0 for anybody, else that of `tierRanks`. */
export const audienceRanks: Readonly<Record<TagAudience, number>> = {
  anyone: 0,
  user: tierRanks.basic,
  pro: tierRanks.pro,
  lifetime: tierRanks.lifetime,
  admin: tierRanks.admin,
};

/** The rank of a viewer; null: nobody is signed in. */
export function rankOfViewer(tier: Tier | null): number {
  return tier === null ? 0 : tierRanks[tier];
}

/**
 * The kinds of changes that administrators can undo; `details` stands for the title and the
 * description of a video, `person` stands for undoing all changes of one
 * person.
 */
export const tagChangeKinds = ['removal', 'merge', 'import', 'sidecars', 'details', 'person'] as const;
export type TagChangeKind = (typeof tagChangeKinds)[number];

export const tagChangeStates = ['running', 'done', 'failed', 'undoing', 'undone'] as const;
export type TagChangeState = (typeof tagChangeStates)[number];

/** The spans in which the changes of one person can be undone, in hours. */
export const personUndoHours = [1, 24, 168, 720] as const;
/** The words for each of these spans. */
export const personUndoSpans: { readonly [Hours in PersonUndoHours]: string } = {
  1: 'the last hour',
  24: 'the last day',
  168: 'the last 7 days',
  720: 'the last 30 days',
};
export type PersonUndoHours = (typeof personUndoHours)[number];

/** Who may change tags and assign them to videos. */
export const tagEditingPolicies = ['everyone', 'admins'] as const;
export type TagEditingPolicy = (typeof tagEditingPolicies)[number];

export const transferFormats = ['csv', 'json'] as const;
export type TransferFormat = (typeof transferFormats)[number];

/** Whether no person has tagged a video: tags from its folder do not count. */
export function isUntagged(tags: readonly { readonly by_folder?: true | undefined }[]): boolean {
  return tags.every((tag) => tag.by_folder === true);
}
