import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { XMLParser } from 'fast-xml-parser';

/** The texts in the files beside a video; null for those that no file has. */
export interface SidecarTexts {
  title: string | null;
  description: string | null;
}

const mebibyte = 1024 * 1024;
/**
 * The files that describe a video, by their ending after its name without the extension. A larger
 * file is skipped; those of yt-dlp are long because they list formats.
 */
export const nfoForm = { ending: '.nfo', bytesMax: mebibyte / 4 };
export const infoForm = { ending: '.info.json', bytesMax: 4 * mebibyte };

/** The name, without its extension, of the videos that a file describes; null for other files. */
export function describedStem(name: string): string | null {
  const form = [nfoForm, infoForm].find(({ ending }) => name.endsWith(ending));
  return form === undefined ? null : name.slice(0, -form.ending.length);
}

/** The paths of the files that may describe a video, whose path without its extension is given. */
export function describingFiles(stem: string): string[] {
  return [nfoForm, infoForm].map(({ ending }) => `${stem}${ending}`);
}

/** Kodi's fields for the contents of a film (kodi.wiki, NFO files). */
const nfoDescriptions = ['plot', 'outline'];

/** The fields of a file, which other programs have written. */
type Fields = { title?: unknown; description?: unknown; [field: string]: unknown };

/**
 * Reads the texts beside a video, for worker threads. Links are not followed, because they may lead
 * out of the library. Never throws.
 * @param video absolute path, in the bytes of the file system
 */
export function readSidecarTexts(video: Buffer): SidecarTexts {
  const [slash, dot] = [video.lastIndexOf('/'), video.lastIndexOf('.')];
  const stem = dot <= slash + 1 ? video : video.subarray(0, dot);
  return parseSidecarTexts(readSmall(stem, nfoForm) ?? '', readSmall(stem, infoForm) ?? '');
}

/** @param nfoText of a file of `nfoForm`, empty without one @param infoText of a file of `infoForm` */
export function parseSidecarTexts(nfoText: string, infoText: string): SidecarTexts {
  const [nfo, info] = [parseNfo(nfoText), parseDownloaderJson(infoText)];
  const firstText = (...values: unknown[]) => values.find((value) => typeof value === 'string') ?? null;
  return {
    title: firstText(...nfo.map(({ title }) => title), info.title),
    description: firstText(...nfo.flatMap((root) => nfoDescriptions.map((field) => root[field])), info.description),
  };
}

function readSmall(stem: Buffer, { ending, bytesMax }: typeof nfoForm): string | null {
  const file = Buffer.concat([stem, Buffer.from(ending)]);
  // Only one of the two may be there, and an error costs as much as reading a header.
  if (!existsSync(file)) return null;
  let descriptor: number | null = null;
  try {
    const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
    descriptor = openSync(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    const facts = fstatSync(descriptor);
    if (!facts.isFile() || facts.size > bytesMax) return null;
    const bytes = Buffer.alloc(facts.size);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, facts.size, 0));
  } catch {
    // An unreadable file counts as missing.
    return null;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/**
 * A file with its own definitions was not written by a downloader, and could expand entities
 * without limit.
 */
const nfoDefinition = /<!(DOCTYPE|ENTITY)/i;

let nfoParser: XMLParser | null = null;

/**
 * The parser is loaded for the first `.nfo` file, because loading it takes longer than reading the
 * headers of hundreds of videos.
 */
function openNfoParser(): XMLParser {
  const { XMLParser: Parser } = createRequire(import.meta.url)('fast-xml-parser') as typeof import('fast-xml-parser');
  return new Parser({ ignoreAttributes: true, parseTagValue: false });
}

/** The roots of a `.nfo` file of Kodi, Jellyfin or similar; none if it is not XML. */
export function parseNfo(text: string): Fields[] {
  if (text === '' || nfoDefinition.test(text)) return [];
  try {
    // Some files have a URL after the XML (kodi.wiki, Parsing NFO), so everything after the last
    // tag is cut off.
    nfoParser ??= openNfoParser();
    const parsed: unknown = nfoParser.parse(text.slice(0, text.lastIndexOf('>') + 1));
    return Object.values(isRecord(parsed) ? parsed : {}).filter(isRecord);
  } catch {
    return [];
  }
}

/** The fields in the JSON of a downloader; none for any other text. */
export function parseDownloaderJson(text: string): Fields {
  if (text === '') return {};
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
