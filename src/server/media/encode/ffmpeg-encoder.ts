import { availableParallelism } from 'node:os';
import type { Ffmpeg } from '../ffmpeg/ffmpeg.ts';
import { FfmpegFailure, rememberResult } from '../ffmpeg/ffmpeg.ts';
import type { WorkFolders } from '../ffmpeg/work-folders.ts';
import { Precedence } from '../sandbox/pause.ts';
import { SubtitleConverter } from '../subtitle-converter.ts';
import { EncodeRun } from './encode-run.ts';
import type { Encoded, EncodeOrder, Encoder, EncoderFacts } from './encoder.ts';
import type { EncoderChoice } from './find-encoders.ts';
import { findEncoders } from './find-encoders.ts';
import type { VideoEncoder } from './video-encoders.ts';

export interface EncoderOptions {
  ffmpeg: Ffmpeg;
  folders: WorkFolders;
  /** The system's folder of device files. */
  devices?: string;
  threads?: number;
  converter?: SubtitleConverter;
}

export function createEncoder({
  ffmpeg,
  folders,
  devices = '/dev',
  threads = encodingThreads(),
  converter = new SubtitleConverter(),
}: EncoderOptions): Encoder {
  const find = rememberResult(() => findEncoders(ffmpeg, folders, devices));
  return new FfmpegEncoder({ ffmpeg, folders, threads, find, converter });
}

interface EncoderParts {
  ffmpeg: Ffmpeg;
  folders: WorkFolders;
  threads: number;
  converter: SubtitleConverter;
  find: () => Promise<EncoderChoice>;
}

/** One way to carry out an order. */
interface Way {
  encoder: VideoEncoder;
  copies: boolean;
}

class FfmpegEncoder implements Encoder {
  private readonly parts: EncoderParts;
  private readonly precedence = new Precedence();

  constructor(parts: EncoderParts) {
    this.parts = parts;
  }

  async facts(): Promise<EncoderFacts | null> {
    // If the search failed for lack of disk space or processes, the next call searches again.
    const choice = await this.parts.find().catch(() => null);
    if (choice === null) return null;
    const { preferred, mapsTones } = choice;
    return { encoder: preferred.name, isHardware: preferred.isHardware, mapsTones };
  }

  async encode<T>(order: EncodeOrder, store: (encoded: Encoded) => Promise<T>): Promise<T> {
    const { ffmpeg, folders, find, converter } = this.parts;
    const choice = await find();
    const { all, yielding } = this.precedence;
    const pause = order.precedence === 'yields' ? yielding : all;
    const make = () =>
      folders.use(async (folder) => {
        const run = new EncodeRun({ ffmpeg, folder, order, pause, converter });
        return store(await this.makeSomehow(run, choice));
      });
    return order.precedence === 'first' ? this.precedence.duringFirst(make) : make();
  }

  setPaused(isPaused: boolean): void {
    this.precedence.setPaused(isPaused);
  }

  private async makeSomehow(run: EncodeRun, choice: EncoderChoice): Promise<Encoded> {
    for (let way: Way = { encoder: choice.preferred, copies: true }; ; ) {
      try {
        return await run.make({ ...way, mapsTones: choice.mapsTones, threads: this.parts.threads }, way);
      } catch (error) {
        const next = nextWay(way, choice, run.triedCopy, error);
        if (next === null) throw error;
        way = next;
        await run.clear();
      }
    }
  }
}

/** Faults that another way may avoid. */
const waysFail = new Set(['unreadable', 'crashed', 'memory', 'time', 'output']);

/**
 * The next way to try: software if hardware has failed, then encoding if a stream copy has failed.
 */
function nextWay(
  { encoder, copies }: Way,
  { software }: EncoderChoice,
  triedCopy: boolean,
  error: unknown,
): Way | null {
  if (!(error instanceof FfmpegFailure) || !waysFail.has(error.fault)) return null;
  if (encoder.isHardware && software !== null) return { encoder: software, copies };
  return copies && triedCopy ? { encoder, copies: false } : null;
}

/** Half of the processors, at most four, so that the others can answer requests. */
export function encodingThreads(processors: number = availableParallelism()): number {
  return Math.min(4, Math.max(1, Math.floor(processors / 2)));
}
