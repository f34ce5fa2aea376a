import { limits } from '#contract/limits.ts';
import type { ByteWindow } from './byte-window.ts';
import { HeaderFault } from './byte-window.ts';
import type { Element } from './matroska-track.ts';
import { elementsIn, readUnsigned } from './matroska-track.ts';
import type { Mp4Box } from './mp4-track.ts';
import { boxesIn, findBox } from './mp4-track.ts';
import type { Tracks } from './tracks.ts';

/** The texts and the date in the headers; a field is null if they lack it. */
export interface EmbeddedDetails {
  /** The texts are as they stand there, at most `maxTextBytes` long. */
  title: string | null;
  description: string | null;
  /** When it was recorded, in epoch milliseconds. */
  recordedAt: number | null;
}

export interface DescribedTracks extends Tracks {
  details: EmbeddedDetails;
}

/** Longer texts are read up to here. A character has at most four bytes. */
const maxTextBytes = 4 * limits.descriptionCharacters;
/** Most entries that are read in one list of details. */
const maxEntries = 64;

/** The found texts by field, each as the first entry of that field says it. */
type Texts = Map<string, string>;

/** Fields of MP4 and QuickTime by what they say, the best one first. */
const mp4Fields = {
  title: ['com.apple.quicktime.title', '©nam'],
  description: ['com.apple.quicktime.description', 'desc', 'ldes', '©des', '©cmt'],
  date: ['com.apple.quicktime.creationdate', '©day'],
};

/**
 * Reads the details of MP4 and QuickTime: the fields of iTunes (`ilst`), the keys and the texts of
 * QuickTime, and the time of creation. What is damaged is left out.
 */
export function readMp4Details(file: ByteWindow, moov: Mp4Box): EmbeddedDetails {
  const texts: Texts = new Map();
  let createdAt: number | null = null;
  readWhatIsThere(() => {
    for (const box of boxesIn(file, moov)) {
      if (box.type === 'mvhd') createdAt = readCreation(file, box);
      else if (box.type === 'meta') readMeta(file, box, texts);
      else if (box.type === 'udta') readUserData(file, box, texts);
    }
  });
  return toDetails(texts, mp4Fields, createdAt);
}

function readUserData(file: ByteWindow, udta: Mp4Box, texts: Texts): void {
  let entries = 0;
  for (const box of boxesIn(file, udta)) {
    if (box.type === 'meta') readMeta(file, box, texts);
    // A text of QuickTime follows its length and its language, of two bytes each.
    else if (box.type.startsWith('©') && box.end - box.start > 4)
      addText(file, texts, box.type, { start: box.start + 4, end: box.start + 4 + file.u16(box.start) });
    entries += 1;
    if (entries === maxEntries) return;
  }
}

function readMeta(file: ByteWindow, meta: Mp4Box, texts: Texts): void {
  if (meta.end - meta.start < 12) return;
  // A version and flags precede the boxes in MP4.
  const from = file.text(meta.start + 4, 4) === 'hdlr' ? meta.start : meta.start + 4;
  const list = findBox(file, meta, 'ilst', from);
  if (list === null) return;
  const keys = readKeys(file, findBox(file, meta, 'keys', from));
  let at = list.start;
  for (let entries = 0; entries < maxEntries && at + 8 <= list.end; entries += 1) {
    const entry = { type: file.text(at + 4, 4), start: at + 8, end: at + file.u32(at) };
    if (entry.end <= entry.start || entry.end > list.end) return;
    const value = findBox(file, entry, 'data');
    // A type and a locale of four bytes each precede the value.
    if (value !== null && file.u32(value.start) === utf8Type)
      addText(file, texts, keys.get(file.u32(at + 4)) ?? entry.type, { start: value.start + 8, end: value.end });
    at = entry.end;
  }
}

/** The type of values in UTF-8 (QuickTime File Format, well-known types). */
const utf8Type = 1;
const maxKeyBytes = 64;

/** The names of QuickTime's keys by their number, which starts at 1. */
function readKeys(file: ByteWindow, box: Mp4Box | null): ReadonlyMap<number, string> {
  const keys = new Map<number, string>();
  if (box === null) return keys;
  let at = box.start + 8;
  for (let number = 1; number <= maxEntries && at + 8 <= box.end; number += 1) {
    const size = file.u32(at);
    if (size < 8 || at + size > box.end) break;
    keys.set(number, file.text(at + 8, Math.min(size - 8, maxKeyBytes)));
    at += size;
  }
  return keys;
}

/** The time of creation in `mvhd`, which counts seconds since 1904. */
function readCreation(file: ByteWindow, { start }: Mp4Box): number | null {
  const isLong = file.u8(start) === 1;
  const seconds = isLong ? file.u64(start + 4) : file.u32(start + 4);
  return toInstant(Date.UTC(1904, 0, 1) + seconds * 1_000);
}

/** Element ids of RFC 9559 sections 5.1.2 and 5.1.8. */
const ids = {
  title: 0x7ba9,
  date: 0x4461,
  tag: 0x7373,
  targets: 0x63c0,
  trackTarget: 0x63c5,
  simpleTag: 0x67c8,
  tagName: 0x45a3,
  tagString: 0x4487,
};

const matroskaFields = {
  title: ['title', 'TITLE'],
  description: ['DESCRIPTION', 'SYNOPSIS', 'SUMMARY', 'COMMENT'],
  date: ['DATE_RECORDED'],
};

/** Reads the details of Matroska and WebM. What is damaged is left out. */
export function readMatroskaDetails(file: ByteWindow, info: Element | null, tags: Element | null): EmbeddedDetails {
  const texts: Texts = new Map();
  let writtenAt: number | null = null;
  readWhatIsThere(() => {
    for (const element of info === null ? [] : elementsIn(file, info)) {
      if (element.id === ids.title) addText(file, texts, 'title', element);
      else if (element.id === ids.date) writtenAt = readDate(file, element);
    }
    for (const element of tags === null ? [] : elementsIn(file, tags))
      if (element.id === ids.tag) readTag(file, element, texts);
  });
  return toDetails(texts, matroskaFields, writtenAt);
}

/** Reads the texts of the whole file; those of single tracks are left out. */
function readTag(file: ByteWindow, tag: Element, texts: Texts): void {
  const found: Texts = new Map();
  for (const element of elementsIn(file, tag)) {
    if (element.id === ids.targets && isOfTrack(file, element)) return;
    if (element.id === ids.simpleTag) readSimpleTag(file, element, found);
  }
  for (const [name, text] of found) if (!texts.has(name)) texts.set(name, text);
}

function isOfTrack(file: ByteWindow, targets: Element): boolean {
  for (const element of elementsIn(file, targets))
    if (element.id === ids.trackTarget && readUnsigned(file, element) !== 0) return true;
  return false;
}

function readSimpleTag(file: ByteWindow, tag: Element, texts: Texts): void {
  let name = '';
  for (const element of elementsIn(file, tag)) {
    if (element.id === ids.tagName) name = file.utf8(element.start, Math.min(element.end - element.start, 64));
    else if (element.id === ids.tagString && name !== '') addText(file, texts, name.toUpperCase(), element);
  }
}

/** A date counts nanoseconds since 2001, as a signed integer. */
function readDate(file: ByteWindow, element: Element): number | null {
  if (element.end - element.start !== 8) return null;
  return toInstant(Date.UTC(2001, 0, 1) + (file.i32(element.start) * 2 ** 32 + file.u32(element.start + 4)) / 1e6);
}

function addText(file: ByteWindow, texts: Texts, field: string, { start, end }: Omit<Mp4Box, 'type'>): void {
  if (texts.has(field) || texts.size === maxEntries || end <= start) return;
  texts.set(field, file.utf8(start, Math.min(end - start, maxTextBytes)).replace(/\0.*$/su, ''));
}

function toDetails(
  texts: Texts,
  fields: Readonly<Record<'title' | 'description' | 'date', readonly string[]>>,
  madeAt: number | null,
): EmbeddedDetails {
  const first = (names: readonly string[]) => names.map((name) => texts.get(name)).find((text) => text) ?? null;
  const date = first(fields.date) ?? '';
  // A year alone is when a work was published.
  const recordedAt = /^\d{4}-\d\d-\d\d/.test(date) ? toInstant(Date.parse(date.slice(0, 40))) : null;
  return {
    title: first(fields.title),
    description: first(fields.description),
    recordedAt: recordedAt ?? madeAt,
  };
}

/** Clocks that were never set give times outside of these. */
const [earliest, latest] = [Date.UTC(1980, 0, 2), Date.UTC(2100, 0, 1)];

/** Null for a time that cannot be right. */
export function toInstant(milliseconds: number): number | null {
  return milliseconds >= earliest && milliseconds < latest ? Math.round(milliseconds) : null;
}

/** Details are optional: a fault in them does not make a video unplayable. */
function readWhatIsThere(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof HeaderFault)) throw error;
  }
}
