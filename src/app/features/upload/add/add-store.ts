import { pickFolderHandle } from '#app/platform/file-access.ts';
import { messageOf } from '#contract/failures.ts';
import { showAlert } from '../alerts-store.ts';
import { addFiles } from '../upload-store.ts';
import { readDropped, withoutHandles } from './read-dropped.ts';
import { FolderWalk } from './walk-folders.ts';

export async function addDropped(data: DataTransfer): Promise<void> {
  await addFound('Upload Videos', () => readDropped(data));
}

export async function addPasted(files: FileList): Promise<void> {
  await addFiles(withoutHandles(files));
}

/** Lets somebody choose a folder, and adds the videos in it. */
export async function addFolder(): Promise<void> {
  const folder = await pickFolderHandle();
  if (folder === null) return;
  await addFound(folder.name, async () => {
    const walk = new FolderWalk();
    await walk.addHandle(folder);
    return walk.files;
  });
}

/** A folder may be gone, or not to be read; one without a video is said, since nothing else would happen. */
async function addFound(name: string, find: () => ReturnType<typeof readDropped>): Promise<void> {
  try {
    const files = await find();
    if (files.length === 0) showAlert(name, 'There is no video in it.');
    else await addFiles(files);
  } catch (error) {
    showAlert(name, messageOf(error));
  }
}
