import { savesData } from '#app/platform/capabilities.ts';
import { addressOf } from '#app/playback/player/video-element.ts';
import type { PlayableVideo } from '#app/playback/quality/playable-video.ts';
import { needsOfPlayed } from '#app/playback/quality/playable-video.ts';
import { limits } from '#contract/limits.ts';
import { newRandomId } from '#device/random-id.ts';
import type { SavedBytes } from '#device/saved/saved-bytes.ts';
import { openSavedBytes } from '#device/saved/saved-bytes.ts';
import { savedStore } from '#device/saved/saved-store.ts';
import type { SavedVideo } from '#device/saved/saved-video.ts';
import { after } from '#device/timers.ts';
import { connection } from '../connection.ts';
import { chooseReelSize, isLinkMetered, reelChoice } from '../link-choice.ts';
import { readCachedPiece } from './saved-calls.ts';
import { heldUntil, latestTime } from './saved-rights.ts';
import { readRoom } from './saved-room.ts';
import { removeSaved, savedTidied } from './saved-session.ts';
import { listReel, readSaved, saved, savedViewer } from './saved-state.ts';

const megabyte = 1_000_000;
/** One piece a second: the disk and the main thread belong to the four videos. */
const betweenPiecesMs = 1_000;
/** The share of a file that may come over the network after all, and of files in a row. */
const maxFetchedShare = 0.1;
const filesJudged = 10;

/**
 * Keeps what was watched, out of the browser's own cache: the bytes of a video that has played are
 * there, so that they are not sent once more (decision 0065).
 */
class RollingReel {
  private readonly waiting: PlayableVideo[] = [];
  private isRunning = false;
  /** The shares of the last files that came over the network. */
  private readonly fetched: number[] = [];

  /** Keeps a video that has left the screen. */
  async keep(video: PlayableVideo): Promise<void> {
    this.waiting.push(video);
    if (this.isRunning) return;
    this.isRunning = true;
    try {
      for (let next = this.waiting.shift(); next; next = this.waiting.shift()) await this.keepOne(next);
    } finally {
      this.isRunning = false;
    }
  }

  private async keepOne(video: PlayableVideo): Promise<void> {
    // A sweep removes videos of the reel that are not whole.
    await savedTidied();
    const bytes = await openSavedBytes();
    const row = toRow(video, await latestTime());
    if (!bytes || !row || !this.isAllowed() || this.isKept(row) || !(await makeRoom(row.size))) return;
    if (!(await savedStore.add(row))) return;
    const share = await this.copy(row, video.url, bytes).catch(() => null);
    if (share === null) await removeSaved([row.id]);
    else await readSaved();
    this.judge(share ?? 1);
  }

  /** @returns the share of bytes that came over the network; null when the rest was left */
  private async copy(row: SavedVideo, url: string, bytes: SavedBytes): Promise<number | null> {
    const left = { fetchable: row.size * maxFetchedShare };
    for (let start = 0; start < row.size; start += limits.savedPieceBytes) {
      await new Promise<void>((resolve) => after(betweenPiecesMs, resolve));
      const end = Math.min(row.size, start + limits.savedPieceBytes);
      const read = await this.readPiece(row, addressOf(url), { start, end }, left);
      if (!read) return null;
      await bytes.write(row.id, start / limits.savedPieceBytes, read.piece);
      const isWhole = end === row.size;
      const grown = { savedBytes: end, type: read.type, ...(isWhole && { state: 'whole' as const }) };
      if (!(await savedStore.change(row.id, () => grown))) return null;
    }
    return maxFetchedShare - left.fetchable / row.size;
  }

  /**
   * Reads a piece in steps, so that what the browser's cache lacks is noticed before much was fetched.
   * @param left the bytes of the file that may still come over the network; what comes is subtracted
   * @returns null when more came, or when it cannot be read
   */
  private async readPiece(
    { size }: SavedVideo,
    url: string,
    { start, end }: { start: number; end: number },
    left: { fetchable: number },
  ): Promise<{ piece: Blob; type: string } | null> {
    const parts: Blob[] = [];
    let type = '';
    for (let at = start; at < end; at += limits.pieceMinBytes) {
      const read = this.isAllowed() ? await readCachedPiece(url, at, Math.min(end, at + limits.pieceMinBytes)) : null;
      if (!read || read.total !== size) return null;
      left.fetchable -= read.fetchedBytes;
      if (left.fetchable < 0) return null;
      parts.push(read.piece);
      type = read.type;
    }
    return { piece: new Blob(parts), type };
  }

  private isAllowed(): boolean {
    return reelChoice.isOn && connection.isReachable && !savesData() && !isLinkMetered();
  }

  private isKept({ videoId, rendition }: SavedVideo): boolean {
    return saved.rows.some((row) => row.videoId === videoId && row.rendition === rendition);
  }

  /** The reel becomes a switch where the browser keeps too little: it would cost the viewer's data. */
  private judge(share: number): void {
    this.fetched.push(share);
    if (this.fetched.length < filesJudged) return;
    const tooMuch = this.fetched.filter((one) => one > maxFetchedShare).length;
    if (tooMuch === filesJudged) chooseReelSize(0);
    this.fetched.shift();
  }
}

export const reel = new RollingReel();

/** The row of a watched video. A paused one is fetched by nobody. */
function toRow(video: PlayableVideo, time: number): SavedVideo | null {
  const userId = savedViewer();
  const file = video.renditions.find(({ name }) => name === video.rendition);
  const [, version] = /[?&]version=([^&]+)/.exec(video.url) ?? [];
  if (userId === undefined || !file || file.bytes === 0 || version === undefined) return null;
  const { id: videoId, path, title: filename, rendition, width, height, durationSeconds, tagIds } = video;
  return {
    ...{ id: newRandomId(), videoId, path, filename, rendition, width, height, durationSeconds, userId },
    ...{ version: decodeURIComponent(version), size: file.bytes, needs: needsOfPlayed(video), type: '' },
    ...{
      kind: 'reel',
      state: 'paused',
      reason: null,
      failures: 0,
      savedBytes: 0,
      tagIds: [...tagIds],
      channelId: null,
    },
    ...{ poster: null, storyboard: null, subtitles: [], savedAt: time, playedAt: time },
    ...{ checkedAt: time, holdsUntil: heldUntil(rendition, time), lockedAt: null },
  };
}

/** Removes what was played least recently until a video fits. @returns whether it does */
async function makeRoom(size: number): Promise<boolean> {
  const cap = reelChoice.megabytes * megabyte;
  const byPlayed = listReel();
  let used = byPlayed.reduce((sum, { savedBytes }) => sum + savedBytes, 0);
  const leaving: string[] = [];
  for (const { id, savedBytes } of byPlayed) {
    if (used + size <= cap) break;
    leaving.push(id);
    used -= savedBytes;
  }
  if (used + size > cap) return false;
  if (leaving.length > 0) await removeSaved(leaving);
  return size <= (await readRoom()).left;
}
