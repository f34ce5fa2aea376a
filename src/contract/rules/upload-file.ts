import { limits } from '#contract/limits.ts';
import { hasMoreBytes } from './text.ts';

/**
 * Who may upload: every signed-in user, every signed-in user with an administrator's approval of
 * each video, or administrators only.
 */
export const uploadPolicies = ['everyone', 'approval', 'admins'] as const;

export type UploadPolicy = (typeof uploadPolicies)[number];

/** The extension with its dot, in lower case; empty when there is none. */
export function extensionOf(filename: string): string {
  const dot = filename.lastIndexOf('.');
  return dot === -1 ? '' : filename.slice(dot).toLowerCase();
}

/** Checks extension, then size (§5 Upload). Null when the file may be added. */
export function checkUploadFile(file: { filename: string; bytes: number }): string | null {
  return checkExtension(file.filename) ?? checkFileBytes(file.bytes);
}

export function checkFileCount(count: number): string | null {
  if (count === 0) return 'Choose at least one file';
  return count > limits.uploadFilesPerSession
    ? `At most ${limits.uploadFilesPerSession} files can be uploaded at once`
    : null;
}

/** A file name is only a label: the name on disk does not depend on it. */
export function checkFilename(filename: string): string | null {
  if (filename.trim() === '') return 'A file needs a name';
  return hasMoreBytes(filename, limits.uploadFilenameBytes)
    ? `A file name has at most ${limits.uploadFilenameBytes} bytes`
    : null;
}

export function checkExtension(filename: string): string | null {
  if ((limits.uploadExtensions as readonly string[]).includes(extensionOf(filename))) return null;
  return `Unsupported format. Supported formats: ${limits.uploadExtensions.join(', ')}`;
}

export function checkFileBytes(bytes: number): string | null {
  if (bytes > limits.uploadBytes) return 'File size exceeds 5GB limit';
  return bytes > 0 ? null : 'File is empty';
}

/** The alert for all refused files: a heading, then one line for each (§5 Upload). */
export function rejectedFiles(rejections: readonly { filename: string; reason: string }[]): string {
  return ['Some files were rejected:', ...rejections.map(({ filename, reason }) => `${filename}: ${reason}`)].join(
    '\n',
  );
}

/** The scroll position of an element, in pixels. */
export interface ScrollFacts {
  scrollTop: number;
  clientHeight: number;
  scrollHeight: number;
}

/** A position within 10 px of the end counts as the end (§2 EULA modal). */
export function isReadToEnd({ scrollTop, clientHeight, scrollHeight }: ScrollFacts): boolean {
  return scrollHeight - clientHeight - scrollTop <= limits.eulaScrollTolerancePx;
}

export function canAccept(facts: { isReadToEnd: boolean; isTicked: boolean }): boolean {
  return facts.isReadToEnd && facts.isTicked;
}

/** @param present the version that the site asks for */
export function checkEulaVersion(version: string, present: string): string | null {
  return version === present ? null : 'This version of the EULA is not known';
}

/**
 * Whether somebody has accepted the agreement in this version, or in a higher one.
 * @param accepted the version that they accepted last; null: none
 */
export function isEulaAccepted(accepted: string | null, present: string): boolean {
  if (accepted === null) return false;
  const [own, wanted] = [partsOf(accepted), partsOf(present)];
  const at = wanted.findIndex((part, index) => part !== (own[index] ?? 0));
  return at === -1 || (own[at] ?? 0) > (wanted[at] ?? 0);
}

/** The numbers of a version, which count like those of 1.10 and 1.9. */
function partsOf(version: string): number[] {
  return version.split('.').map(Number);
}
