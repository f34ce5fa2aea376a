import type { Confinement } from '../sandbox/confinement.ts';
import { programFiles } from '../sandbox/program-files.ts';
import type { SandboxedCall, SandboxLimits } from '../sandbox/sandbox.ts';
import { runSandboxed } from '../sandbox/sandbox.ts';
import type { WorkFolders } from './work-folders.ts';

const limits: SandboxLimits = {
  /** Looked for while the server starts, on a machine that may be busy with other things. */
  seconds: 30,
  processorSeconds: 40,
  memoryMegabytes: 1_500,
  outputBytes: 1024 * 1024,
};

/** An ffmpeg, and the files without which it does not run. */
export type WorkingFfmpeg = Pick<SandboxedCall, 'program' | 'executable'>;

/** The first that runs and says that it is ffmpeg. */
export async function findWorking(
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
