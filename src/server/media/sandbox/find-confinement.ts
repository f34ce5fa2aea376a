import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkFolders } from '../ffmpeg/work-folders.ts';
import type { Confinement } from './confinement.ts';
import { findNetworkIsolation } from './network-isolation.ts';
import { systemFolders } from './program-files.ts';
import type { SandboxLimits } from './sandbox.ts';
import { runSandboxed } from './sandbox.ts';

/** The stricter one first. */
const usualConfinements: readonly Confinement[] = [{ kind: 'landlock' }, { kind: 'bubblewrap' }];
const limits: SandboxLimits = { seconds: 30, processorSeconds: 10, memoryMegabytes: 500, outputBytes: 1_000 };

/** By the shell's own commands alone, so that it works on the barest system. */
const script = 'read -r seen </dev/fd/4; echo "$seen"; read -r seen <"$1" && echo "$seen"';

/**
 * The first that works here, tried where it will be used: a program reads its input, and not the file beside it.
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
      limits,
      confinement,
      input: file.fd,
    };
    const end = await folders.use((folder) => runSandboxed({ ...call, folder })).finally(() => file.close());
    return end.kind === 'ended' && end.code !== 0 && end.output.toString('utf8') === 'input\n';
  });
}
