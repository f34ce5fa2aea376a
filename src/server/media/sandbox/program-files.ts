import { open } from 'node:fs/promises';
import type { WorkFolders } from '../ffmpeg/work-folders.ts';
import type { Confinement } from './confinement.ts';
import type { SandboxLimits } from './sandbox.ts';
import { runSandboxed } from './sandbox.ts';

/** Programs and libraries of the system, and nothing of anybody's own. */
export const systemFolders = [
  ...[
    '/bin',
    '/sbin',
    '/lib',
    '/lib32',
    '/lib64',
    '/usr/bin',
    '/usr/sbin',
    '/usr/lib',
    '/usr/lib32',
    '/usr/lib64',
    '/usr/libexec',
  ],
  ...[
    '/usr/local/bin',
    '/usr/local/lib',
    '/usr/local/lib64',
    '/etc/ld.so.cache',
    '/etc/alternatives',
    '/nix/store',
    '/gnu/store',
  ],
];

const limits: SandboxLimits = { seconds: 30, processorSeconds: 10, memoryMegabytes: 1_500, outputBytes: 1024 * 1024 };

/**
 * What a program may need beside itself to run, the narrowest first: the libraries that the loader names; or, for a
 * script and where no loader of GNU's asks for them, all that the system has.
 */
export async function programFiles(
  program: string,
  confinement: Confinement,
  folders: WorkFolders,
): Promise<readonly (readonly string[])[]> {
  if (confinement.kind === 'none') return [[]];
  if (await isScript(program)) return [systemFolders];
  return [['/etc/ld.so.cache', ...(await findLibraries(program, confinement, folders))], systemFolders];
}

/** What cannot be read is none. */
async function isScript(program: string): Promise<boolean> {
  const file = await open(program).catch(() => null);
  const start = await file?.read(Buffer.alloc(2), { position: 0 }).catch(() => null);
  await file?.close();
  return start?.buffer.toString('latin1') === '#!';
}

/**
 * The loader of GNU's libc names what it would load, from wherever, and ends; a program that needs no loader starts, is
 * asked nothing, and ends too. It has no input yet, so it may see what is there.
 */
async function findLibraries(program: string, confinement: Confinement, folders: WorkFolders): Promise<string[]> {
  const call = {
    program: '/usr/bin/env',
    args: ['LD_TRACE_LOADED_OBJECTS=1', program],
    executable: ['/'],
    limits,
    confinement,
  };
  const end = await folders.use((folder) => runSandboxed({ ...call, folder }));
  return end.kind === 'ended' ? readLibraries(end.output.toString('utf8')) : [];
}

/** `libm.so.6 => /lib/libm.so.6 (0x…)` and `/lib64/ld-linux-x86-64.so.2 (0x…)`. */
export function readLibraries(listed: string): string[] {
  return [...listed.matchAll(/^\s*(?:\S+ => )?(\/.*) \(0x[\da-f]+\)$/gm)].flatMap(([, path]) => path ?? []);
}
