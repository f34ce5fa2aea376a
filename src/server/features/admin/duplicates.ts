import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';
import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Ids } from '../../ids.ts';
import type { JobRun } from '../../jobs/job.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Log } from '../../log.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import type { DerivedFiles } from '../../storage/derived-files.ts';
import type { SourceFiles } from '../videos/source-files.ts';
import type { LibraryVideo } from '../videos/video.ts';
import { videoRepository } from '../videos/video-repository.ts';
import type { Looks } from './alike.ts';
import { AlikeGroups, areOfOneLength, hashStill } from './alike.ts';
import { duplicateRepository } from './duplicate-repository.ts';
import type { ComparedVideo } from './print-repository.ts';
import { printRepository } from './print-repository.ts';

interface DuplicatesDeps {
  database: Database;
  queue: JobQueue;
  clock: Clock;
  ids: Pick<Ids, 'long'>;
  log: Log;
  sources: Pick<SourceFiles, 'openScanned'>;
  posterFiles: Pick<DerivedFiles, 'read'>;
}

export const duplicatesKind = 'duplicates';
const subject = 'all';
/** Scans and posters precede it. */
const priority = 200;
const hourMs = 3_600_000;
/** Files can change without a new video. */
const oldAfterMs = 24 * hourMs;
const rowsTogether = 2_000;
const comparedTogether = 100;
/** Further files with one fingerprint are not read. */
const copiesMost = 1_000;
const deletedTogether = 500;
const pieceBytes = 1024 * 1024;

/** One search: all groups that it finds carry its id. */
interface Search extends Pick<JobRun, 'signal'> {
  id: string;
  /** The number of videos in groups so far. */
  found: number;
  /** The number of videos that have no poster yet. */
  waiting: number;
}

/** Searches for videos of equal content, and for videos that look alike. */
export class Duplicates {
  private readonly deps: DuplicatesDeps;
  private timer: Repetition | undefined;
  /** The last search of this process. */
  private last = { at: Number.NEGATIVE_INFINITY, videoNumber: -1, waiting: 0 };

  constructor(deps: DuplicatesDeps) {
    this.deps = deps;
    const run = (job: JobRun) => this.run(job);
    const facts = { lane: 'light', attemptsMax: 3, isOneForAll: true } as const;
    deps.queue.register({ kind: duplicatesKind, ...facts, run });
  }

  /** Queues a search, unless one is queued or running. */
  async search(): Promise<void> {
    await this.deps.queue.add([{ kind: duplicatesKind, subject, priority }]);
  }

  /** Searches each hour in which there are new videos or posters, and once a day. */
  start(): void {
    const { log } = this.deps;
    const warn = (err: unknown) => log.warn({ err }, 'no search for duplicates could be queued');
    this.timer ??= repeat(() => this.searchWhenDue(), hourMs, warn);
  }

  stop(): void {
    this.timer?.stop();
  }

  private async searchWhenDue(): Promise<void> {
    const { at, videoNumber, waiting } = this.last;
    const isOld = this.deps.clock.elapsed() - at >= oldAfterMs;
    const newest = await videoRepository.readLastNumber(this.deps.database.reader);
    if (isOld || waiting > 0 || newest !== videoNumber) await this.search();
  }

  private async run({ signal, report }: JobRun): Promise<void> {
    const search: Search = { id: this.deps.ids.long(), signal, found: 0, waiting: 0 };
    const videoNumber = await videoRepository.readLastNumber(this.deps.database.reader);
    const last = Math.max(1, videoNumber);
    await this.findCopies(search, (seen) => report((50 * seen) / last));
    await this.findAlike(search, (seen) => report(50 + (50 * seen) / last));
    for (let count = deletedTogether; count === deletedTogether; )
      count = await this.deps.database.write((transaction) =>
        // After a restore all posters are still to be made.
        duplicateRepository.deleteOthers(transaction, search.id, deletedTogether, search.waiting > 0),
      );
    this.last = { at: this.deps.clock.elapsed(), videoNumber, waiting: search.waiting };
  }

  /** Groups the videos of equal content. Files with one fingerprint are read to the end. */
  private async findCopies(search: Search, onSeen: (seen: number) => void): Promise<void> {
    const { reader } = this.deps.database;
    let [equal, fingerprint, seen] = [[] as number[], '', 0];
    for (let after: { fingerprint: string; number: number } | null = null; ; ) {
      const rows = await printRepository.listFingerprints(reader, after, rowsTogether);
      for (const row of rows) {
        if (row.fingerprint !== fingerprint) {
          await this.compareContents(search, equal);
          [equal, fingerprint] = [[], row.fingerprint];
        }
        if (equal.length < copiesMost) equal.push(row.number);
      }
      after = rows.at(-1) ?? null;
      if (after === null) return this.compareContents(search, equal);
      seen += rows.length;
      onSeen(seen);
      await breathe(undefined, { signal: search.signal });
    }
  }

  private async compareContents(search: Search, numbers: readonly number[]): Promise<void> {
    if (numbers.length < 2) return;
    const videos = await printRepository.listCompared(this.deps.database.reader, numbers);
    if (videos.length < 2) return;
    const byContent = new Map<string, number[]>();
    for (const compared of videos) {
      const { video, print } = compared;
      const content = print.content ?? (await this.readContent(video, search.signal));
      if (content === null) continue;
      byContent.set(content, [...(byContent.get(content) ?? []), video.number]);
    }
    for (const copies of byContent.values()) {
      const sorted = copies.sort((one, other) => one - other);
      if (sorted.length > 1) await this.putGroups(search, [[sorted[0] ?? 0, sorted]]);
    }
  }

  /** @returns null for a file that is not the scanned one, or that the disk cannot read */
  private async readContent(video: LibraryVideo, signal: AbortSignal): Promise<string | null> {
    const content = await this.hashVideo(video, signal).catch(() => null);
    signal.throwIfAborted();
    if (content === null) return null;
    await this.putPrint(video, { content });
    return content;
  }

  private async hashVideo(video: LibraryVideo, signal: AbortSignal): Promise<string | null> {
    await using file = await this.deps.sources.openScanned(video, signal);
    // The file closes at the end of this function, so that it is waited for.
    return file === null ? null : await this.hashFile(file.handle, signal);
  }

  /** Rests after each piece for as long as it took, so that viewers keep half of the disk. */
  private async hashFile(file: FileHandle, signal: AbortSignal): Promise<string> {
    const [hash, piece] = [createHash('sha256'), Buffer.allocUnsafe(pieceBytes)];
    for (let at = 0; ; ) {
      const begun = this.deps.clock.elapsed();
      const { bytesRead } = await file.read(piece, 0, pieceBytes, at);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(piece.subarray(0, bytesRead));
      at += bytesRead;
      await pause(this.deps.clock.elapsed() - begun, undefined, { signal });
    }
  }

  /** Groups the videos of one length and size of picture whose stills are alike. */
  private async findAlike(search: Search, onSeen: (seen: number) => void): Promise<void> {
    const groups = new AlikeGroups();
    let [batch, before, isTaken, seen] = [[] as Looks[], null as Looks | null, false, 0];
    for (;;) {
      const rows = await printRepository.listLooks(this.deps.database.reader, before, rowsTogether);
      for (const row of rows) {
        const isNear = before !== null && areOfOneLength(before, row);
        if (before !== null && isNear) batch.push(...(isTaken ? [row] : [before, row]));
        [before, isTaken] = [row, isNear];
        if (batch.length < comparedTogether) continue;
        await this.compareStills(search, groups, batch);
        batch = [];
      }
      seen += rows.length;
      onSeen(seen);
      await breathe(undefined, { signal: search.signal });
      if (rows.length === 0) return this.compareStills(search, groups, batch);
    }
  }

  private async compareStills(search: Search, groups: AlikeGroups, batch: readonly Looks[]) {
    if (search.found >= limits.duplicatesListed) return;
    const { reader } = this.deps.database;
    const numbers = batch.map(({ number }) => number);
    const compared = new Map(
      (await printRepository.listCompared(reader, numbers)).map((one) => [one.video.number, one]),
    );
    const copies = await duplicateRepository.findGroups(reader, numbers, search.id);
    const joined: [number, number[]][] = [];
    for (const looks of batch) {
      search.signal.throwIfAborted();
      const { number } = looks;
      const video = compared.get(number);
      const still = video === undefined ? null : await this.readStill(search, video);
      // Copies of a video stay with it.
      if (still === null || (copies.get(number) ?? number) !== number) continue;
      const first = groups.add(looks, still);
      if (first !== number) joined.push([first, [first, number]]);
    }
    if (joined.length > 0) await this.putGroups(search, joined);
  }

  private async readStill(search: Search, { video, poster, hasPosterRow, print }: ComparedVideo) {
    if (poster === null && !hasPosterRow) search.waiting += 1;
    if (poster === null || print.poster === poster) return print.still;
    const webp = await this.deps.posterFiles.read(poster, '.webp');
    if (webp === null) return null;
    // A picture that cannot be read is compared with nothing.
    const still = await hashStill(webp).catch(() => null);
    await this.putPrint(video, { poster, still });
    return still;
  }

  private putPrint(video: LibraryVideo, print: Partial<ComparedVideo['print']>): Promise<void> {
    const { database } = this.deps;
    return database.write((transaction) => printRepository.putPrint(transaction, video, print));
  }

  private async putGroups(search: Search, groups: readonly (readonly [number, number[]])[]) {
    if (search.found >= limits.duplicatesListed) return;
    for (const [, numbers] of groups) search.found += numbers.length;
    await this.deps.database.write(async (transaction) => {
      for (const [first, numbers] of groups) await duplicateRepository.putGroup(transaction, first, numbers, search.id);
    });
  }
}
