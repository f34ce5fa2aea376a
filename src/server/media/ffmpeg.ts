import type { FileHandle } from 'node:fs/promises';
import type { Container } from './container-sniff.ts';
import { sniffBytes, sniffContainer } from './container-sniff.ts';
import type { Still } from './ffmpeg-arguments.ts';
import { describingArguments, stillArguments } from './ffmpeg-arguments.ts';
import { ffmpegCandidates } from './ffmpeg-candidates.ts';
import type { Description } from './ffmpeg-description.ts';
import { readDescription } from './ffmpeg-description.ts';
import type { JailEnd, JailLimits } from './jail.ts';
import { runJailed } from './jail.ts';
import type { Offline } from './offline.ts';
import { findOffline } from './offline.ts';
import type { WorkFolders } from './work-folders.ts';

/** Why ffmpeg did not do what it was asked for. */
export type FfmpegFault = 'no_ffmpeg' | 'not_a_video' | 'time' | 'memory' | 'output' | 'crashed' | 'unreadable';

export class FfmpegFailure extends Error {
  readonly fault: FfmpegFault;

  constructor(fault: FfmpegFault) {
    super(`ffmpeg: ${fault}`);
    this.fault = fault;
  }
}

/** The only way to ffmpeg: in the jail, and only for files whose bytes were found to be a video. */
export interface Ffmpeg {
  /** Null: there is none, and what needs it is absent. Looked for once. Never throws. */
  locate(): Promise<string | null>;
  /** True when it is kept from the network; else only its arguments keep it from there. Looked for once. */
  isOffline(): Promise<boolean>;
  /** @throws FfmpegFailure */
  describe(file: FileHandle, signal?: AbortSignal): Promise<Description>;
  /** One picture as PNG; null when there is none at that time. @throws FfmpegFailure */
  takeStill(file: FileHandle, still: Still, signal?: AbortSignal): Promise<Buffer | null>;
}

export interface FfmpegOptions {
  /** `FFMPEG_PATH`: this one or none. */
  configured: string | undefined;
  searchPath: string;
  folders: WorkFolders;
  limits?: Partial<JailLimits>;
}

const usualLimits: JailLimits = { seconds: 60, processorSeconds: 40, memoryMegabytes: 1_500, outputBytes: 16 * 1024 * 1024 };
/** Reading a header takes milliseconds. */
const describingSeconds = 10;

export function createFfmpeg({ configured, searchPath, folders, limits }: FfmpegOptions): Ffmpeg {
  let located: Promise<string | null> | null = null;
  let kept: Promise<Offline> | null = null;
  // A look that failed, for want of descriptors or of room, says nothing for good: the next call looks again.
  const keepOffline = () => {
    kept ??= findOffline(folders).catch((error: unknown) => {
      kept = null;
      throw error;
    });
    return kept;
  };
  const locate = () => {
    located ??= keepOffline()
      .then((offline) => findWorking(ffmpegCandidates(configured, searchPath), folders, offline))
      .catch(() => {
        located = null;
        return null;
      });
    return located;
  };

  async function run(file: FileHandle, args: (container: Container) => string[], own: Partial<JailLimits>, signal: AbortSignal | undefined): Promise<Ended> {
    const program = await locate();
    if (program === null) throw new FfmpegFailure('no_ffmpeg');
    const container = await sniff(file);
    const call = { program, args: args(container), input: file.fd, offline: await keepOffline(), limits: { ...usualLimits, ...own, ...limits } };
    return folders.use(async (folder) => ended(await runJailed({ ...call, folder, ...(signal === undefined ? {} : { signal }) })));
  }

  return {
    locate,
    isOffline: async () => (await keepOffline()).length > 0,
    async describe(file, signal) {
      const times = { seconds: describingSeconds, processorSeconds: describingSeconds };
      const { said } = await run(file, describingArguments, times, signal);
      const description = readDescription(said);
      if (description === null) throw new FfmpegFailure('unreadable');
      return description;
    },
    async takeStill(file, still, signal) {
      const { code, output } = await run(file, (container) => stillArguments(container, still), {}, signal);
      if (output.length > 0) return output;
      if (code !== 0) throw new FfmpegFailure('unreadable');
      return null;
    },
  };
}

/** The first that runs and says that it is ffmpeg. */
async function findWorking(candidates: readonly string[], folders: WorkFolders, offline: Offline): Promise<string | null> {
  const limits = { ...usualLimits, seconds: describingSeconds };
  for (const program of candidates) {
    const end = await folders.use((folder) => runJailed({ program, args: ['-version'], folder, limits, offline }));
    if (end.kind === 'ended' && end.code === 0 && end.output.toString('utf8', 0, 14) === 'ffmpeg version') return program;
  }
  return null;
}

type Ended = Extract<JailEnd, { kind: 'ended' }>;

function ended(end: JailEnd): Ended {
  // What the wrapper says of a program that is gone, or is none.
  if (end.kind === 'ended' && (end.code === 126 || end.code === 127)) throw new FfmpegFailure('no_ffmpeg');
  if (end.kind === 'ended') return end;
  throw new FfmpegFailure(end.kind === 'limit' ? end.limit : 'crashed');
}

/** Of the very file that ffmpeg gets, just before it gets it: what the scan once saw may have been replaced. */
async function sniff(file: FileHandle): Promise<Container> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(sniffBytes), { position: 0 });
  const container = sniffContainer(buffer.subarray(0, bytesRead));
  if (container === null) throw new FfmpegFailure('not_a_video');
  return container;
}
