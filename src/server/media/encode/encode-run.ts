import type { FileHandle } from 'node:fs/promises';
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Container } from '../containers/container-sniff.ts';
import type { Ffmpeg } from '../ffmpeg/ffmpeg.ts';
import { FfmpegFailure, sniffFile } from '../ffmpeg/ffmpeg.ts';
import type { DescribedVideoTrack, Description } from '../ffmpeg/ffmpeg-description.ts';
import type { Pause } from '../sandbox/pause.ts';
import type { SubtitleConverter } from '../subtitle-converter.ts';
import type { EncodingTools } from './encode-arguments.ts';
import { encodeArguments, encodeLimits, outputName, readingLimits, storyboardArguments } from './encode-arguments.ts';
import type { Encoded, EncodedFile, EncodeOrder } from './encoder.ts';
import { listNotes } from './encoder.ts';
import { hardwareNeeds } from './find-encoders.ts';
import type { EncodePlan, Ordered, StoryboardPlan } from './ladder.ts';
import { planEncoding, planStoryboard } from './ladder.ts';
import type { EncodedStoryboard, ExtractedSubtitles } from './made-files.ts';
import {
  checkEncoding,
  findMadeStoryboard,
  listTextTracks,
  readSubtitleFiles,
  subtitleArguments,
} from './made-files.ts';

interface EncodeRunOptions {
  ffmpeg: Ffmpeg;
  /** A private folder that holds everything that is made. */
  folder: string;
  order: EncodeOrder;
  pause: Pause;
  converter: Pick<SubtitleConverter, 'convert'>;
}

interface Source {
  container: Container;
  description: Description;
  videoTrack: DescribedVideoTrack;
}

/** Makes everything that is ordered of one file, in one private folder. */
export class EncodeRun {
  private readonly ffmpeg: Ffmpeg;
  private readonly folder: string;
  private readonly order: EncodeOrder;
  private readonly pause: Pause;
  private readonly converter: EncodeRunOptions['converter'];
  private hasTriedCopy = false;

  constructor({ ffmpeg, folder, order, pause, converter }: EncodeRunOptions) {
    this.ffmpeg = ffmpeg;
    this.folder = folder;
    this.order = order;
    this.pause = pause;
    this.converter = converter;
  }

  /** Whether the last attempt included a stream copy. */
  get triedCopy(): boolean {
    return this.hasTriedCopy;
  }

  /** @throws FfmpegFailure */
  async make(tools: EncodingTools, { copies }: { copies: boolean }): Promise<Encoded> {
    const source = await this.look();
    const { renditions, durationMs, audioTrack } = this.order;
    const copy = copies ? await this.copyWithin() : 'none';
    const plan = planEncoding(source, { renditions, copy, durationMs, audioTrack });
    if (audioTrack !== undefined && plan.audioTrack === null) throw new FfmpegFailure('unreadable');
    this.hasTriedCopy = plan.copy !== null;
    const files = await this.makeFiles(plan, tools);
    if (audioTrack !== undefined) return { files, storyboard: null, subtitles: [], notes: [] };
    const storyboard = await this.makeStoryboard(plan, files, tools);
    const subtitles = await this.extractSubtitles(source);
    return { files, storyboard, subtitles, notes: listNotes(source.description, plan, tools.mapsTones) };
  }

  /**
   * Allows a stream copy only if the source fits into `maxBytes`, as the copy has the same size.
   */
  private async copyWithin(): Promise<Ordered['copy']> {
    const { file, copy = 'beside', maxBytes } = this.order;
    const { size } = await file.stat();
    return size <= maxBytes ? copy : 'none';
  }

  private async look(): Promise<Source> {
    const { file, signal } = this.order;
    const description = await this.ffmpeg.describe(file, signal);
    const { videoTrack } = description;
    if (videoTrack === null) throw new FfmpegFailure('no_picture');
    return { container: await sniffFile(file), description, videoTrack };
  }

  private async makeFiles(plan: EncodePlan, tools: EncodingTools): Promise<EncodedFile[]> {
    if (plan.copy === null && plan.pictures.length === 0) return [];
    const { maxBytes, report } = this.order;
    const progress = new ProgressReader(plan.durationMs, report);
    const { code } = await this.ffmpeg.run({
      ...this.frame(plan.container),
      args: encodeArguments(plan, tools),
      limits: encodeLimits(plan.durationMs, maxBytes),
      onOutput: (chunk) => progress.read(chunk),
      ...hardwareNeeds(tools.encoder),
    });
    if (code !== 0) throw new FfmpegFailure((await isFull(this.folder)) ? 'disk_full' : 'unreadable');
    return this.checkFiles(plan);
  }

  private async checkFiles({ copy, pictures, audioTrack, durationMs }: EncodePlan): Promise<EncodedFile[]> {
    const made = [
      ...(copy === null ? [] : [{ rendition: 'source' as const, size: null }]),
      ...pictures.map(({ rendition, width, height }) => ({ rendition, size: { width, height } })),
    ];
    const files: EncodedFile[] = [];
    let bytes = 0;
    for (const { rendition, size } of made) {
      const file = join(this.folder, outputName(rendition));
      const checked = await checkEncoding(file, { durationMs, size, hasSound: audioTrack !== null });
      files.push({ rendition, file, width: checked.width, height: checked.height });
      bytes += checked.bytes;
    }
    if (bytes > this.order.maxBytes) throw new FfmpegFailure('output');
    return files;
  }

  /**
   * Reads the storyboard that the encoding has made. Without an encoding, it is drawn from the
   * source's key frames; if only the encoding's duration is known, it is drawn from that.
   */
  private async makeStoryboard(
    plan: EncodePlan,
    files: readonly EncodedFile[],
    tools: EncodingTools,
  ): Promise<EncodedStoryboard | null> {
    if (plan.storyboard === null) return this.makeStoryboardOfMade(plan, files[files.length - 1], tools);
    if (plan.pictures.length === 0) await this.drawStoryboard(plan, plan.storyboard, tools, this.order.file);
    return findMadeStoryboard(this.folder, plan.storyboard);
  }

  private async makeStoryboardOfMade(
    plan: EncodePlan,
    made: EncodedFile | undefined,
    tools: EncodingTools,
  ): Promise<EncodedStoryboard | null> {
    if (made === undefined) return null;
    const { durationMs } = await checkEncoding(made.file, {
      durationMs: null,
      size: null,
      hasSound: plan.audioTrack !== null,
    });
    const storyboard = planStoryboard(made, durationMs);
    if (storyboard === null) return null;
    const videoTrack = { ...plan.videoTrack, index: 0, hdrTransfer: null, matrix: 'bt709' };
    await using file = await open(made.file);
    await this.drawStoryboard({ ...plan, container: 'mp4', videoTrack }, storyboard, tools, file);
    return findMadeStoryboard(this.folder, storyboard);
  }

  private async drawStoryboard(
    plan: EncodePlan,
    storyboard: StoryboardPlan,
    tools: EncodingTools,
    file: FileHandle,
  ): Promise<void> {
    const args = storyboardArguments(plan, storyboard, tools);
    await this.tryToRead(plan.durationMs, { file, container: plan.container }, args);
  }

  private async extractSubtitles({ container, description }: Source): Promise<ExtractedSubtitles[]> {
    const tracks = listTextTracks(description.subtitles);
    if (tracks.length === 0) return [];
    const input = { file: this.order.file, container };
    await this.tryToRead(description.durationMs, input, subtitleArguments(container, tracks));
    return readSubtitleFiles(this.folder, tracks, (bytes) => this.converter.convert(bytes, this.order.signal));
  }

  /**
   * Runs ffmpeg for an optional part. If the file cannot provide it, it is left out and everything
   * else is kept.
   */
  private async tryToRead(
    durationMs: number | null,
    input: { file: FileHandle; container: Container },
    args: readonly string[],
  ): Promise<void> {
    try {
      await this.ffmpeg.run({ ...this.frame(input.container), input, args, limits: readingLimits(durationMs) });
    } catch (error) {
      if (!(error instanceof FfmpegFailure) || error.fault === 'disk_full' || error.fault === 'not_started')
        throw error;
    }
  }

  private frame(container: Container) {
    const { file, signal } = this.order;
    return { input: { file, container }, folder: this.folder, signal, pause: this.pause, whenIdle: true };
  }

  /** Removes the encodings, so that another attempt can be made. */
  async clear(): Promise<void> {
    for (const rendition of ['source', 'hd', 'grid'] as const)
      await rm(join(this.folder, outputName(rendition)), { force: true });
  }
}

/** Below the size of one of ffmpeg's writes, a write may have failed without an error message. */
const fullBelowBytes = 1024 * 1024;

async function isFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < fullBelowBytes;
}

/** Far longer than a line of `-progress`. */
const keptCharacters = 4_096;

/** Reads the output of ffmpeg's `-progress`: one `key=value` per line, including `out_time_us`. */
export class ProgressReader {
  private readonly durationMs: number | null;
  private readonly report: (progress: number) => void;
  private rest = '';

  /** @param report receives 0 to 99; the remaining work is done without ffmpeg */
  constructor(durationMs: number | null, report: (progress: number) => void) {
    this.durationMs = durationMs;
    this.report = report;
  }

  read(chunk: Buffer): void {
    const lines = (this.rest + chunk.toString('latin1')).split('\n');
    this.rest = (lines.pop() ?? '').slice(0, keptCharacters);
    const times = lines.flatMap((line) => /^out_time_us=(\d{1,15})$/.exec(line)?.[1] ?? []);
    const last = times[times.length - 1];
    if (last === undefined || this.durationMs === null || this.durationMs <= 0) return;
    this.report(Math.min(99, (Number(last) / 1000 / this.durationMs) * 100));
  }
}
