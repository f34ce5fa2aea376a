import { checkTagName } from '#contract/rules/tags/tag.ts';
import { cleanName } from '#contract/rules/text.ts';
import { hasEscapedBytes } from '../paths/file-names.ts';

/** A first folder below a root. */
export interface FirstFolder {
  rootNumber: number;
  /** As `library-path.ts` writes names down. */
  folder: string;
}

/** The first folder of a stored path; null for a file of the root itself, and for a video without a place. */
export function firstFolderOf(path: string): string | null {
  const slash = path.indexOf('/');
  return slash > 0 ? path.slice(0, slash) : null;
}

/** No two folders have the same. */
export function keyOfFolder({ rootNumber, folder }: FirstFolder): string {
  return `${rootNumber}/${folder}`;
}

/** The name that a folder gives to a channel; null for one that no channel may have. */
export function channelNameOf(folder: string): string | null {
  if (hasEscapedBytes(folder)) return null;
  const name = cleanName(folder);
  return checkTagName(name) === null ? name : null;
}
