import { readlinkSync } from 'node:fs';
import type { WorkFolders } from '../ffmpeg/work-folders.ts';
import type { NetworkIsolation } from './confinement.ts';
import type { SandboxLimits } from './sandbox.ts';
import { runSandboxed } from './sandbox.ts';

/**
 * Ways to a network namespace of one's own, the narrowest first: a user namespace lets anybody have one, where the
 * kernel allows it; without it only root can.
 */
const isolationCandidates: readonly NetworkIsolation[] = [
  ['unshare', '--user', '--map-current-user', '--net', '--'],
  ['unshare', '--user', '--net', '--'],
  ['unshare', '--net', '--'],
  ['bwrap', '--dev-bind', '/', '/', '--unshare-net', '--'],
];

const limits: SandboxLimits = { seconds: 30, processorSeconds: 5, memoryMegabytes: 500, outputBytes: 1_000 };
const ownNetwork = '/proc/self/ns/net';

/** The first that works here, tried where it will be used. @throws NotStarted */
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
    limits,
    confinement: { kind: 'none', isolation },
  } as const;
  const end = await folders.use((folder) => runSandboxed({ ...call, folder }));
  const network = end.kind === 'ended' && end.code === 0 ? end.output.toString('utf8').trim() : '';
  return /^net:\[\d+\]$/.test(network) && network !== readlinkSync(ownNetwork);
}
