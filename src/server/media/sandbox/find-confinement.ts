import { readlinkSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkFolders } from '../ffmpeg/work-folders.ts';
import type { Confinement, NetworkIsolation } from './confinement.ts';
import type { SandboxLimits } from './sandbox.ts';
import { runSandboxed } from './sandbox.ts';

/** The stricter one first. */
const usualConfinements: readonly Confinement[] = [{ kind: 'landlock' }, { kind: 'bubblewrap' }];
const confinementLimits: SandboxLimits = {
  seconds: 30,
  processorSeconds: 10,
  memoryMegabytes: 500,
  outputBytes: 1_000,
};

/** Uses only shell built-ins, so it works on a minimal system. */
const script = 'read -r seen </dev/fd/4; echo "$seen"; read -r seen <"$1" && echo "$seen"';

/**
 * The first confinement that works on this machine, tested in real working folders: a program has
 * to be able to read its input, and not another file.
 * @throws NotStarted
 */
export async function findConfinement(
  folders: WorkFolders,
  among: readonly Confinement[] = usualConfinements,
): Promise<Confinement> {
  for (const confinement of among)
    if (process.platform === 'linux' && (await isTight(confinement, folders))) return confinement;
  return { kind: 'none', isolation: await findNetworkIsolation(folders) };
}

async function isTight(confinement: Confinement, folders: WorkFolders): Promise<boolean> {
  return folders.use(async (outside) => {
    const [input, secret] = [join(outside, 'input'), join(outside, 'secret')];
    await Promise.all([writeFile(input, 'input\n'), writeFile(secret, 'secret\n')]);
    const file = await open(input);
    const call = {
      program: '/bin/sh',
      args: ['-c', script, 'sh', secret],
      executable: systemFolders,
      limits: confinementLimits,
      confinement,
      input: file.fd,
    };
    const end = await folders.use((folder) => runSandboxed({ ...call, folder })).finally(() => file.close());
    return end.kind === 'ended' && end.code !== 0 && end.output.toString('utf8') === 'input\n';
  });
}

/**
 * Commands that give a program its own network namespace, the one with the fewest side effects
 * first. With a user namespace, any user may do this if the kernel allows it; without one, only
 * root.
 */
const isolationCandidates: readonly NetworkIsolation[] = [
  ['unshare', '--user', '--map-current-user', '--net', '--'],
  ['unshare', '--user', '--net', '--'],
  ['unshare', '--net', '--'],
  ['bwrap', '--dev-bind', '/', '/', '--unshare-net', '--'],
];

const isolationLimits: SandboxLimits = { seconds: 30, processorSeconds: 5, memoryMegabytes: 500, outputBytes: 1_000 };
const ownNetwork = '/proc/self/ns/net';

/**
 * The first isolation that works on this machine, tested in a real working folder. @throws
 * NotStarted
 */
export async function findNetworkIsolation(
  folders: WorkFolders,
  candidates: readonly NetworkIsolation[] = isolationCandidates,
): Promise<NetworkIsolation> {
  for (const isolation of candidates) if (await isAnotherNetwork(isolation, folders)) return isolation;
  return [];
}

async function isAnotherNetwork(isolation: NetworkIsolation, folders: WorkFolders): Promise<boolean> {
  const call = {
    program: '/bin/sh',
    args: ['-c', `readlink ${ownNetwork}`],
    executable: [],
    limits: isolationLimits,
    confinement: { kind: 'none', isolation },
  } as const;
  const end = await folders.use((folder) => runSandboxed({ ...call, folder }));
  const network = end.kind === 'ended' && end.code === 0 ? end.output.toString('utf8').trim() : '';
  return /^net:\[\d+\]$/.test(network) && network !== readlinkSync(ownNetwork);
}

/** The system's programs and libraries, without any user's files. */
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

const libraryLimits: SandboxLimits = {
  seconds: 30,
  processorSeconds: 10,
  memoryMegabytes: 1_500,
  outputBytes: 1024 * 1024,
};

/**
 * Sets of files that a program may need to run, the smallest first: the libraries that the loader
 * lists; then all system folders. A script, and a program that GNU's loader does not list, needs
 * the system folders.
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

/** A file that cannot be read is not a script. */
async function isScript(program: string): Promise<boolean> {
  const file = await open(program).catch(() => null);
  const start = await file?.read(Buffer.alloc(2), { position: 0 }).catch(() => null);
  await file?.close();
  return start?.buffer.toString('latin1') === '#!';
}

/**
 * Lists a program's libraries. With this variable, the loader of GNU's libc prints what it would
 * load and exits; a program without a loader starts without arguments and exits too. There is no
 * input yet, so the program may read all files.
 */
async function findLibraries(program: string, confinement: Confinement, folders: WorkFolders): Promise<string[]> {
  const call = {
    program: '/usr/bin/env',
    args: ['LD_TRACE_LOADED_OBJECTS=1', program],
    executable: ['/'],
    limits: libraryLimits,
    confinement,
  };
  const end = await folders.use((folder) => runSandboxed({ ...call, folder }));
  return end.kind === 'ended' ? readLibraries(end.output.toString('utf8')) : [];
}

/** Parses `libm.so.6 => /lib/libm.so.6 (0x…)` and `/lib64/ld-linux-x86-64.so.2 (0x…)`. */
export function readLibraries(listed: string): string[] {
  return [...listed.matchAll(/^\s*(?:\S+ => )?(\/.*) \(0x[\da-f]+\)$/gm)].flatMap(([, path]) => path ?? []);
}
