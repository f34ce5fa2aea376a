import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { Container } from '../containers/container-sniff.ts';
import { sniffBytes, sniffContainer } from '../containers/container-sniff.ts';
import type { Confinement, EndedProgram, ProgramEnd } from '../sandbox/confinement.ts';
import { notConfined } from '../sandbox/confinement.ts';
import { findConfinement, programFiles } from '../sandbox/find-confinement.ts';
import { NotStarted } from '../sandbox/launch.ts';
import type { SandboxedCall, SandboxLimits } from '../sandbox/sandbox.ts';
import { runSandboxed } from '../sandbox/sandbox.ts';
import type { StillOptions } from './ffmpeg-arguments.ts';
import { describingArguments, stillArguments } from './ffmpeg-arguments.ts';
import type { Description } from './ffmpeg-description.ts';
import { readDescription } from './ffmpeg-description.ts';
import type { WorkFolders } from './work-folders.ts';

/** Why a call of ffmpeg failed. */
export type FfmpegFault =
  | 'no_ffmpeg'
  | 'not_a_video'
  | 'time'
  | 'memory'
  | 'output'
  | 'crashed'
  | 'not_started'
  | 'disk_full'
  | 'no_picture'
  | 'unreadable';

export class FfmpegFailure extends Error {
  readonly fault: FfmpegFault;

  constructor(fault: FfmpegFault) {
    super(`ffmpeg: ${fault}`);
    this.fault = fault;
  }
}

/** A call of ffmpeg in a folder that the caller provides. */
interface FfmpegOrder
  extends Pick<SandboxedCall, 'folder' | 'limits' | 'signal' | 'onOutput' | 'pause' | 'devices' | 'whenIdle'> {
  /** Null if the arguments generate the input. */
  input: { file: FileHandle; container: Container } | null;
  args: readonly string[];
  /** Further libraries, such as drivers that ffmpeg loads by name. */
  libraries?: readonly string[];
}

/**
 * Runs ffmpeg in a sandbox, and only on files whose bytes are a video. Nothing else calls ffmpeg.
 */
export interface Ffmpeg {
  /**
   * Path of ffmpeg, or null if there is none; features that need it are then absent. The search is
   * made once, and repeated only if it failed for lack of descriptors or disk space.
   */
  locate(): Promise<string | null>;
  /** The sandbox that isolates ffmpeg on this machine. ffmpeg does not run until this is known. */
  confinement(): Promise<Confinement>;
  /** @throws FfmpegFailure */
  describe(file: FileHandle, signal?: AbortSignal): Promise<Description>;
  /** Extracts one frame as PPM; null if there is none at that time. @throws FfmpegFailure */
  extractFrame(file: FileHandle, still: StillOptions, signal?: AbortSignal): Promise<Buffer | null>;
  /** Runs ffmpeg and resolves with any exit code of its own. @throws FfmpegFailure */
  run(order: FfmpegOrder): Promise<EndedProgram>;
}

export interface FfmpegOptions {
  /** `FFMPEG_PATH`. If it is set, no other ffmpeg is used. */
  configured: string | undefined;
  searchPath: string;
  folders: WorkFolders;
  limits?: Partial<SandboxLimits>;
  /** The sandboxes to try. Tests use this to exclude some of the machine's. */
  confinements?: readonly Confinement[] | undefined;
}

const usualLimits: SandboxLimits = {
  seconds: 60,
  processorSeconds: 40,
  memoryMegabytes: 1_500,
  outputBytes: 16 * 1024 * 1024,
};
/**
 * Reading a header takes milliseconds of processor time, but any amount of real time on a busy
 * machine.
 */
const describingProcessorSeconds = 10;

export function createFfmpeg({ configured, searchPath, folders, limits, confinements }: FfmpegOptions): Ffmpeg {
  const confinement = rememberResult(() => findConfinement(folders, confinements));
  const find = rememberResult(async () => {
    const candidates = ffmpegCandidates(configured, searchPath).filter((program) => existsSync(program));
    // The candidates come first, because finding a sandbox means running several programs.
    return candidates.length === 0 ? null : findWorking(candidates, folders, await confinement());
  });

  async function run({ input, libraries = [], ...order }: FfmpegOrder): Promise<EndedProgram> {
    const working = await find();
    if (working === null) throw new FfmpegFailure('no_ffmpeg');
    return runOrFail({
      ...order,
      program: working.program,
      executable: [...working.executable, ...libraries],
      confinement: await confinement(),
      limits: { ...order.limits, ...limits },
      ...(input === null ? {} : { input: input.file.fd }),
    });
  }

  async function read(
    file: FileHandle,
    args: (container: Container) => string[],
    own: Partial<SandboxLimits>,
    signal: AbortSignal | undefined,
  ): Promise<EndedProgram> {
    if ((await find()) === null) throw new FfmpegFailure('no_ffmpeg');
    const container = await sniffFile(file);
    const order = { input: { file, container }, args: args(container), limits: { ...usualLimits, ...own } };
    return folders.use((folder) => run({ ...order, folder, ...(signal === undefined ? {} : { signal }) }));
  }

  return {
    locate: async () => (await find().catch(() => null))?.program ?? null,
    confinement: () => confinement().catch((): Confinement => ({ kind: 'none', isolation: [] })),
    async describe(file, signal) {
      const times = { processorSeconds: describingProcessorSeconds };
      const { said } = await read(file, describingArguments, times, signal);
      const description = readDescription(said);
      if (description === null) throw new FfmpegFailure('unreadable');
      return description;
    },
    async extractFrame(file, still, signal) {
      const { code, output } = await read(file, (container) => stillArguments(container, still), {}, signal);
      if (output.length > 0 && (code === 0 || still.endsAtErrors !== true)) return output;
      if (code !== 0) throw new FfmpegFailure('unreadable');
      return null;
    },
    run,
  };
}

/** @throws FfmpegFailure */
async function runOrFail(call: SandboxedCall): Promise<EndedProgram> {
  try {
    return ended(await runSandboxed(call));
  } catch (error) {
    // The system is out of descriptors or processes.
    throw error instanceof NotStarted ? new FfmpegFailure('not_started') : error;
  }
}

function ended(end: ProgramEnd): EndedProgram {
  if (end.kind === 'ended' && end.code === notConfined) throw new FfmpegFailure('not_started');
  // The exit codes of the wrapper and the launcher if the program is missing or cannot be executed.
  if (end.kind === 'ended' && (end.code === 126 || end.code === 127)) throw new FfmpegFailure('no_ffmpeg');
  if (end.kind === 'ended') return end;
  throw new FfmpegFailure(end.kind === 'limit' ? end.limit : 'crashed');
}

/**
 * Determines the container from the open file that ffmpeg is about to read, because the file may
 * have been replaced since the scan.
 * @throws FfmpegFailure
 */
export async function sniffFile(file: FileHandle): Promise<Container> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(sniffBytes), { position: 0 });
  const container = sniffContainer(buffer.subarray(0, bytesRead));
  if (container === null) throw new FfmpegFailure('not_a_video');
  return container;
}

const limits: SandboxLimits = {
  /** The search runs while the server starts, on a machine that may be busy. */
  seconds: 30,
  processorSeconds: 40,
  memoryMegabytes: 1_500,
  outputBytes: 1024 * 1024,
};

/** A working ffmpeg and the files that it needs to run. */
type WorkingFfmpeg = Pick<SandboxedCall, 'program' | 'executable'>;

/** The first candidate that runs and identifies itself as ffmpeg. */
async function findWorking(
  candidates: readonly string[],
  folders: WorkFolders,
  confinement: Confinement,
): Promise<WorkingFfmpeg | null> {
  for (const program of candidates) {
    for (const executable of await programFiles(program, confinement, folders)) {
      if (await isFfmpeg({ program, executable }, folders, confinement)) return { program, executable };
    }
  }
  return null;
}

async function isFfmpeg(working: WorkingFfmpeg, folders: WorkFolders, confinement: Confinement): Promise<boolean> {
  const end = await folders.use((folder) =>
    runSandboxed({ ...working, args: ['-version'], folder, limits, confinement }),
  );
  return end.kind === 'ended' && end.code === 0 && end.output.toString('utf8', 0, 14) === 'ffmpeg version';
}

/**
 * Paths at which ffmpeg may be: only the configured one, or else those of the system and the one of
 * the optional npm package.
 * @param searchPath folders, in the format of `PATH`
 */
export function ffmpegCandidates(configured: string | undefined, searchPath: string): string[] {
  return configured === undefined ? [...onPath(searchPath), ...shipped()] : [configured];
}

function onPath(searchPath: string): string[] {
  return searchPath
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, 'ffmpeg'));
}

/** The npm package is optional: it exists for some platforms and may not be installed. */
function shipped(): string[] {
  try {
    const { resolve } = createRequire(import.meta.url);
    return [join(dirname(resolve(`@ffmpeg-binary/${process.platform}-${process.arch}`)), 'ffmpeg')];
  } catch {
    return [];
  }
}

/** Calls `ask` once and remembers the result. After a failure, the next call asks again. */
export function rememberResult<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let known: Promise<Result> | null = null;
  return () => {
    known ??= ask().catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  };
}
