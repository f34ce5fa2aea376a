import type { FileHandle } from 'node:fs/promises';
import { checkTagName } from '#contract/rules/tags/tag.ts';
import { openInside } from '../../../storage/local-file.ts';
import { tagNameKey } from '../../tags/tag-repository.ts';
import type { VideoFile } from '../../videos/path-resolver.ts';
import { readDownloaderJson } from './downloader-json.ts';
import { readNfo } from './nfo.ts';

interface SidecarForm {
  /** Behind the name of the video, with its own extension or without. */
  ending: string;
  keepsExtension: boolean;
  /** A larger file is passed over. Lists of formats make those of yt-dlp long. */
  bytesMax: number;
  read(text: string, max: number): string[];
}

const mebibyte = 1024 * 1024;
const nfo = { bytesMax: mebibyte / 4, read: readNfo };
const json = { bytesMax: 4 * mebibyte, read: readDownloaderJson };

const forms: readonly SidecarForm[] = [
  { ending: '.nfo', keepsExtension: false, ...nfo },
  { ending: '.info.json', keepsExtension: false, ...json },
  { ending: '.json', keepsExtension: false, ...json },
  { ending: '.json', keepsExtension: true, ...json },
];

/** More than these of one video are passed over. */
const namesMax = 50;
/** So many of one file are looked at, whether channels can have them or not: a file may hold a million. */
const candidatesMax = 1_000;

/** The names of tags that stand beside a video's file, each once, as channels can have them. */
export async function readSidecars({ folder, file }: VideoFile): Promise<string[]> {
  const names = new Map<string, string>();
  for (const form of forms) {
    const text = await readSmall(folder, sidecarOf(file, form), form.bytesMax);
    for (const name of text === null ? [] : form.read(text, candidatesMax)) {
      addName(names, name);
      if (names.size === namesMax) return [...names.values()];
    }
  }
  return [...names.values()];
}

/** Names are bytes of the file system: nothing is decoded. */
function sidecarOf(file: Buffer, { ending, keepsExtension }: SidecarForm): Buffer {
  const [slash, dot] = [file.lastIndexOf('/'), file.lastIndexOf('.')];
  const stem = keepsExtension || dot <= slash + 1 ? file : file.subarray(0, dot);
  return Buffer.concat([stem, Buffer.from(ending)]);
}

/** Null for what is not there, no plain file, outside of the folder, or too large. */
async function readSmall(folder: string, file: Buffer, bytesMax: number): Promise<string | null> {
  const handle = await openInside(folder, file);
  if (handle === null) return null;
  try {
    return await readWhole(handle, bytesMax);
  } catch {
    // It cannot be read: what stands in it is not known.
    return null;
  } finally {
    await handle.close();
  }
}

async function readWhole(handle: FileHandle, bytesMax: number): Promise<string | null> {
  const facts = await handle.stat();
  if (!facts.isFile() || facts.size > bytesMax) return null;
  const bytes = Buffer.alloc(facts.size);
  const { bytesRead } = await handle.read(bytes, 0, facts.size, 0);
  return bytes.toString('utf8', 0, bytesRead);
}

function addName(names: Map<string, string>, name: string): void {
  const trimmed = name.trim();
  if (checkTagName(trimmed) === null && !names.has(tagNameKey(trimmed))) names.set(tagNameKey(trimmed), trimmed);
}
