import type { Processing } from '#contract/entities/video.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { JobRun, NewJob } from '../../jobs/job.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { SubtitleConverter } from '../../media/subtitles/subtitle-converter.ts';
import type { DerivedFile, DerivedFiles, StoredContent } from '../../storage/derived-files.ts';
import { findVideoById } from '../videos/poster-repository.ts';
import {
  deleteSubtitlesBeside,
  findSubtitles,
  findSubtitlesBeside,
  putSubtitlesBeside,
  replaceSubtitles,
} from '../videos/subtitle-repository.ts';
import type { Video } from '../videos/video.ts';
import type { FileBeside } from './files-beside.ts';
import { readFileBeside } from './files-beside.ts';

export interface ConversionDeps {
  database: Database;
  clock: Pick<Clock, 'elapsed'>;
  jobs: JobQueue;
  converter: Pick<SubtitleConverter, 'convert'>;
  derivedFiles: Pick<DerivedFiles, 'put' | 'read'>;
  room: {
    /** @throws JobPostponed while the disk is full */
    reserve(bytes: number): Promise<void>;
    discard(files: readonly DerivedFile[]): Promise<void>;
  };
}

const conversionKind = 'subtitles';
/** Somebody waits for it. */
const conversionPriority = 10;
const attemptsMax = 3;
/** A job that was cancelled is queued again after so long. */
const askedForMs = 30_000;
const rememberedMax = 5_000;
/** What characters become that mean something in WebVTT. */
const growth = 2;
/** Stands for a file of which nothing can be read, so that nobody tries again. */
const nothing = Buffer.from('WEBVTT\n');

interface Asked {
  /** What was to be converted. */
  versions: string;
  /** By `clock.elapsed()`. */
  at: number;
}

/** Has the subtitles of a video converted by a job, once for each state of a file. */
export class Conversions {
  private readonly deps: ConversionDeps;
  private readonly asked = new Map<number, Asked>();

  /** @param findBeside the files beside a video, as they are now */
  constructor(deps: ConversionDeps, findBeside: (video: Video) => Promise<readonly FileBeside[]>) {
    this.deps = deps;
    deps.jobs.register({
      kind: conversionKind,
      lane: 'media',
      attemptsMax,
      run: async (run) => {
        const video = await findVideoById(deps.database.reader, run.job.subject);
        if (video === null) return;
        await this.convertInside(video, run);
        await this.convertBeside(video, await findBeside(video), run);
      },
    });
  }

  /** @param versions what is not converted yet. @returns null for none */
  async request({ id, number }: Video, versions: readonly string[]): Promise<Processing | null> {
    if (versions.length === 0) {
      this.asked.delete(number);
      return null;
    }
    const now = this.deps.clock.elapsed();
    const wanted = { versions: versions.join(' '), at: now };
    const known = this.asked.get(number);
    if (known === undefined || known.versions !== wanted.versions || now - known.at >= askedForMs) {
      const job: NewJob = { kind: conversionKind, subject: id, videoNumber: number, priority: conversionPriority };
      await this.deps.jobs.add([job]);
      this.asked.delete(number);
      this.asked.set(number, wanted);
      const [oldest] = this.asked.size > rememberedMax ? this.asked.keys() : [];
      if (oldest !== undefined) this.asked.delete(oldest);
    }
    return { state: 'queued', progress: 0 };
  }

  /** Only what versions before this one have taken out of videos: later ones store what is served at once. */
  private async convertInside(video: Video, { signal }: JobRun): Promise<void> {
    const { database, derivedFiles, room } = this.deps;
    const tracks = await findSubtitles(database.reader, video);
    for (const { content } of tracks.filter(({ isConverted }) => !isConverted)) {
      const bytes = await derivedFiles.read(content, '.vtt');
      const served = bytes === null ? null : await this.store(bytes, signal);
      await database.write((transaction) => replaceSubtitles(transaction, video.number, content, served));
      await room.discard([{ content, extension: '.vtt' }]);
    }
  }

  private async convertBeside({ number }: Video, files: readonly FileBeside[], { signal }: JobRun): Promise<void> {
    const { database, room } = this.deps;
    const known = await findSubtitlesBeside(database.reader, number);
    for (const file of files) {
      if (known.delete(file.version)) continue;
      const bytes = await readFileBeside(file);
      if (bytes === null) continue;
      const row = { video_number: number, version: file.version, ...(await this.store(bytes, signal)) };
      await database.write((transaction) => putSubtitlesBeside(transaction, row));
    }
    for (const [version, content] of known) {
      await database.write((transaction) => deleteSubtitlesBeside(transaction, number, version));
      await room.discard([{ content, extension: '.vtt' }]);
    }
  }

  private async store(bytes: Buffer, signal: AbortSignal): Promise<StoredContent> {
    await this.deps.room.reserve(bytes.length * growth);
    const vtt = await this.deps.converter.convert(bytes, signal);
    return this.deps.derivedFiles.put(vtt ?? nothing, '.vtt');
  }
}
