import type { DeviceClass } from '#contract/rules/media/needs.ts';
import type { Rendition } from '#contract/rules/media/rendition.ts';
import { bestAllowed, mayHave } from '#contract/rules/media/rendition.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import { everyDevice, listPlayable } from '../videos/encodings/playable-encodings.ts';
import type { MediaFile } from './media-file.ts';
import type { StreamedVideo } from './video-cache.ts';

/** What an address asks for, and who asks. */
export interface FileQuestion {
  rendition: Rendition | undefined;
  version: string | undefined;
  device: DeviceClass;
  /** The most picture lines that the caller may have. */
  lines: number;
  /** Whether the server itself handed out this address. */
  isSigned(): boolean;
}

/**
 * The file that an address names, or the best for this device of those that the caller may have (decision 0044).
 * @throws NotFound for an encoding that is not there, or no more; Refusal 403 for one that is too good
 */
export function chooseFile(streamed: StreamedVideo, question: FileQuestion): MediaFile {
  const { files } = streamed;
  const chosen = findNamed(files, question) ?? findPreferred(streamed, question);
  if (!mayHave(chosen, files, question.lines) && !question.isSigned()) throw new Refusal('forbidden');
  return chosen;
}

const contentShape = /^[0-9a-f]{40}$/;

/** Null for an address that names no file, or the bytes of a source that has changed since. */
function findNamed(files: readonly MediaFile[], { rendition, version }: FileQuestion): MediaFile | null {
  if (version === undefined) return null;
  for (const file of files)
    if (file.version === version && (rendition === undefined || file.name === rendition)) return file;
  // Never other bytes under its address: the player asks for another one.
  if (contentShape.test(version)) throw new NotFound('video');
  return null;
}

/** A device that plays none of them gets what others play: it may be no player at all. */
function findPreferred(streamed: StreamedVideo, question: FileQuestion): MediaFile {
  const chosen = findPlayable(streamed, question, question.device) ?? findPlayable(streamed, question, everyDevice);
  if (chosen === null) throw new NotFound('rendition');
  return chosen;
}

function findPlayable(
  { video, encodings, files }: StreamedVideo,
  { rendition, lines }: FileQuestion,
  device: DeviceClass,
): MediaFile | null {
  const playable = listPlayable(video, encodings, device);
  const chosen =
    rendition === undefined ? bestAllowed(playable, lines) : playable.find(({ name }) => name === rendition);
  return files.find(({ version }) => version === chosen?.version) ?? null;
}
