import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, realpath } from 'node:fs/promises';

/** Whether a file is below a folder once every link on the way is followed. `folder` is a real path already. */
export async function isInside(folder: string, file: Buffer): Promise<boolean> {
  const real = Buffer.from(await realpath(file, 'latin1'), 'latin1');
  const start = Buffer.from(`${folder}/`);
  return real.subarray(0, start.length).equals(start);
}

/** Opens a file for reading. Null when it is not there, may not be read, or is reached through a link that leads out of the folder. */
export async function openInside(folder: string, file: Buffer): Promise<FileHandle | null> {
  try {
    // O_NONBLOCK: opening a pipe that took the file's place must not wait for a writer.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    // Looked at after opening: what was a file before may be a link by now.
    if (await isInside(await realpath(folder), file)) return handle;
    await handle.close();
    return null;
  } catch {
    return null;
  }
}
