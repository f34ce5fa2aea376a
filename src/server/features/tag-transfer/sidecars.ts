import type { FileHandle } from 'node:fs/promises';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { limits } from '#contract/limits.ts';
import { checkTagName } from '#contract/rules/tag.ts';
import type { Executor } from '../../database/tables.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import type { JobKind, JobRun } from '../../jobs/job.ts';
import { infoForm, nfoForm, parseDownloaderJson, parseNfo } from '../../media/sidecar-file.ts';
import { openInside } from '../../storage/open-for-reading.ts';
import type { DiskPlace } from '../../storage/storage.ts';
import { changeKind, toChangeJob } from '../tags/changes/change-jobs.ts';
import { tagChangeRepository } from '../tags/changes/change-repository.ts';
import { tagNameKey } from '../tags/tag-repository.ts';
import type { TagTransferDeps } from './tag-files.ts';
import { beginChange, tagFinder } from './tag-files.ts';
import { applyTransfer, TransferPlan } from './transfer-plan.ts';

const sidecarJob = 'tag-sidecars';
const videosTogether = 200;

/** A name with the videos whose sidecar files contain it. */
interface FoundName {
  name: string;
  videos: number[];
}

/**
 * @returns number of the change
 * @throws Refusal 409 while sidecar files are already being read
 */
export async function beginSidecars(deps: TagTransferDeps, actorId: string): Promise<number> {
  const number = await deps.writeTags(async (transaction) => {
    await refuseTwice(transaction);
    const change = await beginChange(transaction, deps, { kind: 'sidecars', subject: 'Sidecar files', actorId });
    await deps.jobs.addWithin(transaction, [toChangeJob(sidecarJob, change)]);
    return change;
  });
  deps.jobs.wake();
  return number;
}

async function refuseTwice(transaction: Executor): Promise<void> {
  if ((await tagChangeRepository.listUnfinished(transaction)).some(({ kind }) => kind === 'sidecars'))
    throw new Refusal('conflict', { message: 'Sidecar files are being read already.' });
}

/** Reads the sidecar files of all videos, then continues as an import does. */
export function sidecarsKind(deps: TagTransferDeps): JobKind {
  return changeKind(deps, sidecarJob, async ({ number, state }, run) => {
    if (state !== 'running') return;
    const found = await readAll(deps, run);
    const plan = new TransferPlan(await tagFinder(deps.tagCatalogue));
    for (const { name: tag, videos } of mostUsed(found)) for (const video of videos) plan.add(tag, video);
    await applyTransfer(deps, number, plan, run.signal);
  });
}

async function readAll({ database, places, idSets }: TagTransferDeps, { signal, report }: JobRun) {
  const found = new Map<string, FoundName>();
  const total = idSets.count({ tags: [], mode: 'OR', blocked: [] });
  let [after, done, links] = [0, 0, 0];
  for (;;) {
    const videos = await listVideos(database.reader, after);
    for (const video of videos) {
      signal.throwIfAborted();
      const file = places.fileOf(video);
      for (const tag of file === null ? [] : await readSidecars(file)) {
        if (links === limits.sidecarLinks) return found;
        addFound(found, tag, video.number);
        links += 1;
      }
    }
    if (videos.length < videosTogether) return found;
    after = videos.at(-1)?.number ?? after;
    done += videos.length;
    report((100 * done) / Math.max(1, total));
    await letOthersRun();
  }
}

/** The next existing videos, by number. */
function listVideos(executor: Executor, afterNumber: number) {
  return executor
    .selectFrom('videos')
    .select(['number', 'root_number as rootNumber', 'path'])
    .where('number', '>', afterNumber)
    .where('missing_since', 'is', null)
    .orderBy('number')
    .limit(videosTogether)
    .execute();
}

function addFound(found: Map<string, FoundName>, tag: string, video: number): void {
  const key = tagNameKey(tag);
  const known = found.get(key);
  if (known === undefined) found.set(key, { name: tag, videos: [video] });
  else known.videos.push(video);
}

/**
 * The most used names. Downloaders write thousands of names that only one video has, which would
 * bury the useful ones in the list of channels.
 */
function mostUsed(found: ReadonlyMap<string, FoundName>): FoundName[] {
  return [...found.values()].sort((a, b) => b.videos.length - a.videos.length).slice(0, limits.sidecarTags);
}

interface SidecarForm {
  /** The end of the file name, after the video's name with or without its extension. */
  ending: string;
  keepsExtension: boolean;
  bytesMax: number;
  read(text: string, max: number): string[];
}

const forms: readonly SidecarForm[] = [
  { ...nfoForm, keepsExtension: false, read: readNfo },
  { ...infoForm, keepsExtension: false, read: readDownloaderJson },
  { ...infoForm, ending: '.json', keepsExtension: false, read: readDownloaderJson },
  { ...infoForm, ending: '.json', keepsExtension: true, read: readDownloaderJson },
];

/** Further names of one video are skipped. */
const namesMax = 50;
/**
 * The most names that are examined per file, valid or not, because a file can contain a million.
 */
const candidatesMax = 1_000;

/** The distinct names in a video's sidecar files, in the form that channels allow. */
export async function readSidecars({ folder, file }: DiskPlace): Promise<string[]> {
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

/** File names are bytes of the file system and are not decoded. */
function sidecarOf(file: Buffer, { ending, keepsExtension }: SidecarForm): Buffer {
  const [slash, dot] = [file.lastIndexOf('/'), file.lastIndexOf('.')];
  const stem = keepsExtension || dot <= slash + 1 ? file : file.subarray(0, dot);
  return Buffer.concat([stem, Buffer.from(ending)]);
}

/**
 * Null for a file that does not exist, is not a regular file, lies outside the folder or is too
 * large.
 */
async function readSmall(folder: string, file: Buffer, bytesMax: number): Promise<string | null> {
  const handle = await openInside(folder, file);
  if (handle === null) return null;
  try {
    return await readWhole(handle, bytesMax);
  } catch {
    // An unreadable file counts as missing.
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

/** Kodi's fields for the subjects of a film (kodi.wiki, NFO files). */
const nfoFields = ['tag', 'genre'] as const;
/** The first names in a `.nfo` file of Kodi, Jellyfin or similar; none if it is not XML. */
export function readNfo(text: string, max: number): string[] {
  return parseNfo(text)
    .flatMap((root) => nfoFields.flatMap((field) => nfoTexts(root[field], max)))
    .slice(0, max);
}

/** A genre can contain several names, separated by a slash between spaces. */
function nfoTexts(value: unknown, max: number): string[] {
  const values = Array.isArray(value) ? value.slice(0, max) : [value];
  return values.filter((item) => typeof item === 'string').flatMap((item) => item.split(/\s+\/\s+/, max));
}

/** The fields of yt-dlp's `.info.json`, and of the files of gallery-dl and similar tools. */
const downloaderFields = ['tags', 'categories', 'genres'] as const;

/** The first names in the JSON of a downloader; none for any other JSON. */
export function readDownloaderJson(text: string, max: number): string[] {
  const fields = parseDownloaderJson(text);
  return downloaderFields.flatMap((field) => jsonTexts(fields[field], max)).slice(0, max);
}

/** A list, or a text of names separated by commas. */
function jsonTexts(value: unknown, max: number): string[] {
  if (typeof value === 'string') return value.split(',', max);
  return Array.isArray(value) ? value.slice(0, max).filter((item) => typeof item === 'string') : [];
}
