import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { withinLimit } from '#app/platform/http/time-limit.ts';
import type { PieceAnswer, SavedAddress } from '#app/transfer/save-engine.ts';
import { listSubtitles, readVideo, resolveVideoUrl } from '#contract/endpoints.ts';
import type { Storyboard } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import { isHeavyToKeep } from '#contract/rules/rendition.ts';
import type { SavedStoryboard, SavedVideo } from '#device/saved/saved-video.ts';
import { after } from '#device/timers.ts';
import { session } from '../session.ts';
import { settings } from '../settings.ts';

/** Asks for the address of a saved video's file. */
export async function findAddress(video: SavedVideo, signal: AbortSignal): Promise<SavedAddress> {
  const { path, rendition, size, savedBytes, durationSeconds, encodedSince } = video;
  // A source of which bytes are here is fetched to its end.
  const mayBeSmaller = rendition === 'source' && savedBytes === 0 && encodedSince !== 0;
  const isHeavy = mayBeSmaller && isHeavyToKeep(size, durationSeconds);
  try {
    // The quadrant only counts in statistics of picks.
    const named = { path, quadrant: 'top-left' } as const;
    const wanted = isHeavy ? { quality: 'grid' as const, keeps: true } : { quality: rendition };
    const track = savedBytes > 0 || encodedSince === 0 ? video.audioTrack : await findAudioTrack(video, signal);
    const body = { ...named, ...wanted, ...(track !== undefined && { audio_track: track }) };
    const reply = await call(resolveVideoUrl, { body, signal, quiet: true });
    const isMissing = isHeavy || (savedBytes === 0 && reply.audio_track !== track);
    if (isMissing && reply.processing && reply.processing.state !== 'failed')
      return { kind: 'encoding', progress: Math.floor(reply.processing.progress) };
    const [, version] = /[?&]version=([^&]+)/.exec(reply.url) ?? [];
    if (version === undefined) return { kind: 'away' };
    const { url, rendition: given, audio_track: audioTrack } = reply;
    const found = { url, rendition: given, version: decodeURIComponent(version), audioTrack };
    return { kind: 'found', ...found };
  } catch (error) {
    const status = error instanceof HttpError ? error.status : 0;
    if (status === 404) return { kind: 'refused', reason: 'gone' };
    return status === 403 ? { kind: 'refused', reason: 'plan' } : { kind: 'away' };
  }
}

/** The track in the language that was chosen last here, unless the file plays it by itself. */
async function findAudioTrack({ videoId: id }: SavedVideo, signal: AbortSignal): Promise<number | undefined> {
  const { audioLanguage } = settings;
  if (audioLanguage === null) return undefined;
  const { audio_tracks: tracks } = await call(listSubtitles, { params: { id }, signal, quiet: true });
  const own = tracks.filter(({ language }) => language === audioLanguage);
  return own.some((track) => track.is_default) ? undefined : own[0]?.track;
}

/** Statuses after which another address may help. */
const refusals = [401, 403, 404, 410, 412, 416];

/**
 * Fetches one piece. Only a 206 of exactly these bytes of a video counts: a portal's page, a whole
 * file or a cut answer is no answer.
 * @param end exclusive; beyond the end of the file, the piece ends with the file
 */
export async function fetchPiece(url: string, start: number, end: number, signal: AbortSignal): Promise<PieceAnswer> {
  const stall = new StallLimit(signal);
  try {
    const response = await fetch(url, { headers: { range: `bytes=${start}-${end - 1}` }, signal: stall.signal });
    if (refusals.includes(response.status)) return { kind: 'refused' };
    const type = response.headers.get('content-type') ?? '';
    const range = readContentRange(response.headers.get('content-range'));
    if (response.status !== 206 || !type.startsWith('video/') || !response.body) return { kind: 'away' };
    if (range?.start !== start || range.end !== Math.min(end, range.total)) return { kind: 'away' };
    const piece = await readBlob(response.body, range.end - start, stall);
    return piece ? { kind: 'piece', piece, total: range.total, type } : { kind: 'away' };
  } catch {
    return { kind: 'away' };
  } finally {
    stall.end();
  }
}

/** A piece out of the browser's cache, and how many of its bytes came over the network after all. */
interface CachedPiece {
  piece: Blob;
  total: number;
  type: string;
  fetchedBytes: number;
}

/** Reads a piece by the address that a player has used. @param end exclusive */
export async function readCachedPiece(url: string, start: number, end: number): Promise<CachedPiece | null> {
  const transfers = watchTransfers(url);
  try {
    const headers = { range: `bytes=${start}-${end - 1}` };
    const response = await fetch(url, { headers, cache: 'force-cache' });
    const type = response.headers.get('content-type') ?? '';
    const range = readContentRange(response.headers.get('content-range'));
    if (response.status !== 206 || !type.startsWith('video/') || range?.start !== start) return null;
    const piece = await response.blob();
    if (piece.size !== end - start) return null;
    return { piece, type, total: range.total, fetchedBytes: await transfers.read() };
  } catch {
    return null;
  } finally {
    transfers.stop();
  }
}

/**
 * Reads how much of a request came over the network from the browser's resource timing. Where it
 * says nothing, all of it counts as fetched.
 */
function watchTransfers(url: string): { read(): Promise<number>; stop(): void } {
  const address = new URL(url, location.href).href;
  let fetched: number | null = null;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntriesByName(address) as PerformanceResourceTiming[])
      if (entry.initiatorType === 'fetch') fetched = (fetched ?? 0) + transferredBytes(entry);
  });
  observer.observe({ entryTypes: ['resource'] });
  return {
    async read() {
      // An entry is told in a task of its own, after the body was read.
      for (let tries = 0; tries < 20 && fetched === null; tries += 1)
        await new Promise<void>((resolve) => after(50, resolve));
      return fetched ?? Number.POSITIVE_INFINITY;
    },
    stop: () => observer.disconnect(),
  };
}

/** Another host that does not let the page time its answers shows no sizes at all. */
function transferredBytes({ name, transferSize, encodedBodySize }: PerformanceResourceTiming): number {
  const isHidden = !name.startsWith(location.origin) && encodedBodySize === 0;
  return isHidden ? Number.POSITIVE_INFINITY : (transferSize ?? Number.POSITIVE_INFINITY);
}

/** Aborts a request of which no byte has come for `uploadStallSeconds`. */
class StallLimit {
  private readonly own = new AbortController();
  private readonly outer: AbortSignal;
  private readonly abort = () => this.own.abort();
  private cancel = () => {};

  constructor(outer: AbortSignal) {
    this.outer = outer;
    outer.addEventListener('abort', this.abort);
    if (outer.aborted) this.abort();
    this.restart();
  }

  get signal(): AbortSignal {
    return this.own.signal;
  }

  restart(): void {
    this.cancel();
    this.cancel = after(limits.uploadStallSeconds * 1000, this.abort);
  }

  /** Ends an answer that was not read to its end, too: it holds a connection. */
  end(): void {
    this.cancel();
    this.outer.removeEventListener('abort', this.abort);
    this.abort();
  }
}

/** @returns null when the body is shorter or longer than announced */
async function readBlob(body: ReadableStream<Uint8Array>, size: number, stall: StallLimit): Promise<Blob | null> {
  const reader = body.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    stall.restart();
    if (value) parts.push(value as Uint8Array<ArrayBuffer>);
    length += value?.length ?? 0;
    if (length > size) return null;
  }
  return length === size ? new Blob(parts) : null;
}

/** @returns `end` exclusive; null for a header that names no part of a file */
function readContentRange(header: string | null): { start: number; end: number; total: number } | null {
  const [, start, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(header ?? '') ?? [];
  return total === undefined ? null : { start: Number(start), end: Number(last) + 1, total: Number(total) };
}

/**
 * Fetches what is kept beside the bytes of a video: what cannot be had now is left out, and
 * `hasExtras` says so.
 */
export async function fetchExtras({ videoId }: SavedVideo, signal: AbortSignal): Promise<Partial<SavedVideo>> {
  const reply = await call(readVideo, { params: { id: videoId }, signal, quiet: true }).catch(noAnswer);
  if (!reply) return { hasExtras: reply === null };
  const { poster_url, storyboard: sheetOf, tags } = reply.video;
  const [poster, storyboard, { subtitles, areWhole }] = await Promise.all([
    poster_url === null ? null : fetchImage(poster_url, signal),
    sheetOf && fetchStoryboard(sheetOf, signal),
    fetchSubtitles(videoId, signal),
  ]);
  const parts = { ...(poster !== undefined && { poster }), ...(storyboard !== undefined && { storyboard }), subtitles };
  const isLater = poster === undefined || storyboard === undefined || !areWhole;
  return { ...parts, tagIds: tags.map(({ id }) => id), hasExtras: !isLater };
}

/** @returns null when there is none, undefined when it cannot be had now, as `noAnswer` */
async function fetchStoryboard({ url, columns, rows, ...tiles }: Storyboard, signal: AbortSignal) {
  const sheet = await fetchImage(url, signal);
  const { tile_width: tileWidth, tile_height: tileHeight, interval_seconds: intervalSeconds } = tiles;
  return sheet && ({ sheet, columns, rows, tileWidth, tileHeight, intervalSeconds } satisfies SavedStoryboard);
}

function fetchImage(url: string, signal: AbortSignal): Promise<Blob | null | undefined> {
  return fetchBeside(url, 'image/', signal, (response) => response.blob());
}

/** The first tracks, that of the remembered language before the others, as far as they can be had. */
async function fetchSubtitles(videoId: string, signal: AbortSignal) {
  const list = await call(listSubtitles, { params: { id: videoId }, signal, quiet: true }).catch(noAnswer);
  const remembered = session.user?.settings.subtitle_language ?? null;
  const tracks = [...(list?.tracks ?? [])].sort(
    (one, other) => Number(other.language === remembered) - Number(one.language === remembered),
  );
  const texts = tracks.slice(0, limits.savedSubtitleTracks).map(async ({ track, language, label, url }) => {
    const text = await fetchBeside(url, 'text/vtt', signal, (response) => response.text());
    return typeof text === 'string' ? { track, language, label, text } : text;
  });
  const fetched = await Promise.all(texts);
  // The server may still be reading the file.
  const isRead = list !== undefined && (!list?.processing || list.processing.state === 'failed');
  return { subtitles: fetched.flatMap((track) => track ?? []), areWhole: isRead && !fetched.includes(undefined) };
}

/** @returns null for what the site does not have, undefined for what it may give later */
function noAnswer(error: unknown): null | undefined {
  const { status } = error instanceof HttpError || error instanceof Response ? error : { status: 500 };
  return status === 401 || status === 429 || status >= 500 ? undefined : null;
}

/** Fetches a file. @returns as `noAnswer`, where there is none */
async function fetchBeside<Content>(
  url: string,
  type: string,
  signal: AbortSignal,
  read: (response: Response) => Promise<Content>,
): Promise<Content | null | undefined> {
  const ask = async (own: AbortSignal) => {
    const response = await fetch(url, { signal: own });
    const isFound = response.ok && (response.headers.get('content-type') ?? '').startsWith(type);
    return isFound ? read(response) : noAnswer(response);
  };
  return withinLimit({ seconds: limits.callTimeoutSeconds, signal }, ask).catch(() => undefined);
}
