import { readlinkSync } from 'node:fs';
import type { JailLimits } from './jail.ts';
import { runJailed } from './jail.ts';
import type { WorkFolders } from './work-folders.ts';

/** What stands before a program so that it has no network at all, not even to its own machine; empty where nothing does. */
export type Offline = readonly string[];

/**
 * Ways to a network namespace of one's own, the narrowest first: a user namespace lets anybody have one, where the kernel allows it; without it
 * only root can.
 */
export const offlineCandidates: readonly Offline[] = [
  ['unshare', '--user', '--map-current-user', '--net', '--'],
  ['unshare', '--user', '--net', '--'],
  ['unshare', '--net', '--'],
  ['bwrap', '--dev-bind', '/', '/', '--unshare-net', '--'],
];

const limits: JailLimits = { seconds: 5, processorSeconds: 5, memoryMegabytes: 500, outputBytes: 1_000 };
const ownNetwork = '/proc/self/ns/net';

/** The first that works here, tried in the jail where it will be used. */
export async function findOffline(folders: WorkFolders, candidates: readonly Offline[] = offlineCandidates): Promise<Offline> {
  for (const offline of candidates) if (await isAnotherNetwork(offline, folders)) return offline;
  return [];
}

async function isAnotherNetwork(offline: Offline, folders: WorkFolders): Promise<boolean> {
  const end = await folders.use((folder) => runJailed({ program: '/bin/sh', args: ['-c', `readlink ${ownNetwork}`], folder, limits, offline }));
  const network = end.kind === 'ended' && end.code === 0 ? end.output.toString('utf8').trim() : '';
  return /^net:\[\d+\]$/.test(network) && network !== readlinkSync(ownNetwork);
}
