import type { FileHandle } from 'node:fs/promises';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { XMLParser } from 'fast-xml-parser';
import { limits } from '#contract/limits.ts';
import { checkTagName } from '#contract/rules/tag.ts';
import type { Executor } from '../../database/tables.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import type { JobKind, JobRun } from '../../jobs/job.ts';
import { openInside } from '../../storage/open-for-reading.ts';
import { changeKind, toChangeJob } from '../tags/changes/change-jobs.ts';
import { listUnfinished } from '../tags/changes/change-repository.ts';
import { tagNameKey } from '../tags/tag-repository.ts';
import type { VideoFile } from '../videos/video.ts';
import type { TransferDeps } from './tag-files.ts';
import { beginChange, tagFinder } from './tag-files.ts';
import { applyTransfer, TransferPlan } from './transfer-plan.ts';

const sidecarJob = 'tag-sidecars';
const videosTogether = 200;

/** One name with the videos that it stands beside. */
interface FoundName {
  name: string;
  videos: number[];
}

/** @returns number of the change @throws Refusal 409 while they are being read */
export async function beginSidecars(deps: TransferDeps, actorId: string): Promise<number> {
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
  if ((await listUnfinished(transaction)).some(({ kind }) => kind === 'sidecars'))
    throw new Refusal('conflict', { message: 'Sidecar files are being read already.' });
}

/** Reads what stands beside the videos, then goes on as an import does. */
export function sidecarsKind(deps: TransferDeps): JobKind {
  return changeKind(deps, sidecarJob, async ({ number, state }, run) => {
    if (state !== 'running') return;
    const found = await readAll(deps, run);
    const plan = new TransferPlan(await tagFinder(deps.tagCatalogue));
    for (const { name: tag, videos } of mostUsed(found)) for (const video of videos) plan.add(tag, video);
    await applyTransfer(deps, number, plan, run.signal);
  });
}

async function readAll({ database, places, idSets }: TransferDeps, { signal, report }: JobRun) {
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

/** What is there to be watched, by number. */
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

/** Downloaders write thousands of names that are on a single video: a list of channels is for people. */
function mostUsed(found: ReadonlyMap<string, FoundName>): FoundName[] {
  return [...found.values()].sort((a, b) => b.videos.length - a.videos.length).slice(0, limits.sidecarTags);
}

interface SidecarForm {
  /** Behind the name of the video, with its own extension or without. */
  ending: string;
  keepsExtension: boolean;
  /** A larger file is passed over. Lists of formats make those of yt-dlp long. */
  bytesMax: number;
  read(text: string, max: number): string[];
}

const mebibyte = 1024 * 1024;
const nfoForm = { bytesMax: mebibyte / 4, read: readNfo };
const jsonForm = { bytesMax: 4 * mebibyte, read: readDownloaderJson };

const forms: readonly SidecarForm[] = [
  { ending: '.nfo', keepsExtension: false, ...nfoForm },
  { ending: '.info.json', keepsExtension: false, ...jsonForm },
  { ending: '.json', keepsExtension: false, ...jsonForm },
  { ending: '.json', keepsExtension: true, ...jsonForm },
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

/** Kodi's fields for what a film is about (kodi.wiki, NFO files). */
const nfoFields = ['tag', 'genre'] as const;
/** A file with definitions of its own is none that a downloader wrote, and the way in for entities that multiply. */
const nfoDefinition = /<!(DOCTYPE|ENTITY)/i;

const nfoParser = new XMLParser({ ignoreAttributes: true, parseTagValue: false });

/** The first names in a `.nfo` of Kodi, Jellyfin and their like; none for what is no XML. */
export function readNfo(text: string, max: number): string[] {
  if (nfoDefinition.test(text)) return [];
  const parsed = parseNfo(text);
  const roots = Object.values(isRecord(parsed) ? parsed : {}).filter(isRecord);
  return roots.flatMap((root) => nfoFields.flatMap((field) => nfoTexts(root[field], max))).slice(0, max);
}

function parseNfo(text: string): unknown {
  try {
    // Some have an address below the XML (kodi.wiki, Parsing NFO): everything behind the last tag is none of it.
    return nfoParser.parse(text.slice(0, text.lastIndexOf('>') + 1));
  } catch {
    return null;
  }
}

/** A genre may hold several, with a slash between blanks. */
function nfoTexts(value: unknown, max: number): string[] {
  const values = Array.isArray(value) ? value.slice(0, max) : [value];
  return values.filter((item) => typeof item === 'string').flatMap((item) => item.split(/\s+\/\s+/, max));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of yt-dlp's `.info.json` and of what gallery-dl and its like write beside a file. */
const downloaderFields = ['tags', 'categories', 'genres'] as const;

/** The first names in the JSON that a downloader left; none for any other JSON. */
export function readDownloaderJson(text: string, max: number): string[] {
  const parsed = parseJson(text);
  return typeof parsed === 'object' && parsed !== null
    ? downloaderFields.flatMap((field) => jsonTexts((parsed as Record<string, unknown>)[field], max)).slice(0, max)
    : [];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
}

/** A list, or names with commas between them. */
function jsonTexts(value: unknown, max: number): string[] {
  if (typeof value === 'string') return value.split(',', max);
  return Array.isArray(value) ? value.slice(0, max).filter((item) => typeof item === 'string') : [];
}
