import type { Executor } from '../../../database/tables.ts';
import { readRoots } from '../paths/root-repository.ts';
import type { FirstFolder } from './first-folder.ts';
import { firstFolderOf } from './first-folder.ts';
import { listPresentPaths } from './folder-video-repository.ts';

const pathsTogether = 200;

/** The first folders that have videos, root by root, in the order of their names. */
export async function* findFirstFolders(executor: Executor): AsyncGenerator<FirstFolder> {
  for (const { number, kind, isActive } of await readRoots(executor))
    if (kind === 'folder' && isActive) yield* findInRoot(executor, number);
}

/** Passes over what is in a folder that was found: a page holds the next files of the root, or many small folders. */
async function* findInRoot(executor: Executor, rootNumber: number): AsyncGenerator<FirstFolder> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const paths: string[] = await listPresentPaths(executor, rootNumber, after, pathsTogether);
    after = paths.at(-1);
    let folder: string | null = null;
    for (const path of paths) {
      if (folder !== null && path.startsWith(`${folder}/`)) continue;
      folder = firstFolderOf(path);
      if (folder !== null) yield { rootNumber, folder };
    }
    // `0` is the character after the slash.
    if (folder !== null) after = `${folder}0`;
  }
}
