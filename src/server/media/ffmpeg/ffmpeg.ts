import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Container } from '../containers/container-sniff.ts';
import { sniffBytes, sniffContainer } from '../containers/container-sniff.ts';
import type { Confinement } from '../sandbox/confinement.ts';
import { findConfinement } from '../sandbox/find-confinement.ts';
import type { ProgramEnd } from '../sandbox/program-end.ts';
import { notConfined } from '../sandbox/program-end.ts';
import { programFiles } from '../sandbox/program-files.ts';
import type { SandboxedCall, SandboxLimits } from '../sandbox/sandbox.ts';
import { NotStarted, runSandboxed } from '../sandbox/sandbox.ts';
import type { Still } from './ffmpeg-arguments.ts';
import { describingArguments, stillArguments } from './ffmpeg-arguments.ts';
import { ffmpegCandidates } from './ffmpeg-candidates.ts';
import type { Description } from './ffmpeg-description.ts';
import { readDescription } from './ffmpeg-description.ts';
import type { WorkFolders } from './work-folders.ts';

/** Why ffmpeg did not do what it was asked for. */
export type FfmpegFault =
  | 'no_ffmpeg'
  | 'not_a_video'
  | 'time'
  | 'memory'
  | 'output'
  | 'crashed'
  | 'not_started'
  | 'unreadable';

export class FfmpegFailure extends Error {
  readonly fault: FfmpegFault;

  constructor(fault: FfmpegFault) {
    super(`ffmpeg: ${fault}`);
    this.fault = fault;
  }
}

/** The only way to ffmpeg: in a sandbox, and only for files whose bytes were found to be a video. */
export interface Ffmpeg {
  /**
   * Null: there is none, and what needs it is absent. Looked for once; a look that failed, for want of descriptors or
   * of room, is made again.
   */
  locate(): Promise<string | null>;
  /** What keeps it from all but its input here; nothing runs while that cannot be found out. */
  confinement(): Promise<Confinement>;
  /** @throws FfmpegFailure */
  describe(file: FileHandle, signal?: AbortSignal): Promise<Description>;
  /** One frame as PNG; null when there is none at that time. @throws FfmpegFailure */
  extractFrame(file: FileHandle, still: Still, signal?: AbortSignal): Promise<Buffer | null>;
}

export interface FfmpegOptions {
  /** `FFMPEG_PATH`: this one or none. */
  configured: string | undefined;
  searchPath: string;
  folders: WorkFolders;
  limits?: Partial<SandboxLimits>;
  /** The sandboxes to try. Tests leave out what this machine has. */
  confinements?: readonly Confinement[] | undefined;
}

const usualLimits: SandboxLimits = {
  seconds: 60,
  processorSeconds: 40,
  memoryMegabytes: 1_500,
  outputBytes: 16 * 1024 * 1024,
};
/** Reading a header takes milliseconds. */
const describingSeconds = 10;
/** Looked for while the server starts, on a machine that may be busy with other things. */
const startingSeconds = 30;

export function createFfmpeg({ configured, searchPath, folders, limits, confinements }: FfmpegOptions): Ffmpeg {
  const confinement = rememberResult(() => findConfinement(folders, confinements));
  const find = rememberResult(async () => {
    const candidates = ffmpegCandidates(configured, searchPath).filter((program) => existsSync(program));
    // To find a sandbox takes the time of several programs.
    return candidates.length === 0 ? null : findWorking(candidates, folders, await confinement());
  });

  async function run(
    file: FileHandle,
    args: (container: Container) => string[],
    own: Partial<SandboxLimits>,
    signal: AbortSignal | undefined,
  ): Promise<Ended> {
    const working = await find();
    if (working === null) throw new FfmpegFailure('no_ffmpeg');
    const container = await sniff(file);
    const call = {
      ...working,
      args: args(container),
      input: file.fd,
      confinement: await confinement(),
      limits: { ...usualLimits, ...own, ...limits },
    };
    return folders.use(async (folder) =>
      ended(await runOrFail({ ...call, folder, ...(signal === undefined ? {} : { signal }) })),
    );
  }

  return {
    locate: async () => (await find().catch(() => null))?.program ?? null,
    confinement: () => confinement().catch((): Confinement => ({ kind: 'none', isolation: [] })),
    async describe(file, signal) {
      const times = { seconds: describingSeconds, processorSeconds: describingSeconds };
      const { said } = await run(file, describingArguments, times, signal);
      const description = readDescription(said);
      if (description === null) throw new FfmpegFailure('unreadable');
      return description;
    },
    async extractFrame(file, still, signal) {
      const { code, output } = await run(file, (container) => stillArguments(container, still), {}, signal);
      if (output.length > 0) return output;
      if (code !== 0) throw new FfmpegFailure('unreadable');
      return null;
    },
  };
}

/** Asks once, and once more after a failure. */
function rememberResult<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let known: Promise<Result> | null = null;
  return () => {
    known ??= ask().catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  };
}

/** An ffmpeg, and the files without which it does not run. */
type Working = Pick<SandboxedCall, 'program' | 'executable'>;

/** The first that runs and says that it is ffmpeg. */
async function findWorking(
  candidates: readonly string[],
  folders: WorkFolders,
  confinement: Confinement,
): Promise<Working | null> {
  for (const program of candidates) {
    for (const executable of await programFiles(program, confinement, folders)) {
      if (await isFfmpeg({ program, executable }, folders, confinement)) return { program, executable };
    }
  }
  return null;
}

async function isFfmpeg(working: Working, folders: WorkFolders, confinement: Confinement): Promise<boolean> {
  const limits = { ...usualLimits, seconds: startingSeconds };
  const end = await folders.use((folder) =>
    runSandboxed({ ...working, args: ['-version'], folder, limits, confinement }),
  );
  return end.kind === 'ended' && end.code === 0 && end.output.toString('utf8', 0, 14) === 'ffmpeg version';
}

/** @throws FfmpegFailure `not_started` when the system is out of descriptors or processes */
async function runOrFail(call: SandboxedCall): Promise<ProgramEnd> {
  try {
    return await runSandboxed(call);
  } catch (error) {
    throw error instanceof NotStarted ? new FfmpegFailure('not_started') : error;
  }
}

type Ended = Extract<ProgramEnd, { kind: 'ended' }>;

function ended(end: ProgramEnd): Ended {
  if (end.kind === 'ended' && end.code === notConfined) throw new FfmpegFailure('not_started');
  // What wrapper and launcher say of a program that is gone, or is none.
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
