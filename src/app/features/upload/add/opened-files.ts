import { subscribe } from 'valtio/vanilla';
import { claimOpenedFiles, openedFiles } from '#app/state/uploads/opened-files.ts';
import type { PickedFile } from '#app/state/uploads/upload-queue.ts';
import { messageOf } from '#contract/failures.ts';
import { showAlert } from '../alerts-store.ts';
import { addFiles } from '../upload-store.ts';

/** Adds the files that the system has opened with the app, and opens later. Returns a function that stops it. */
export function watchOpenedFiles(): () => void {
  void addOpened();
  return subscribe(openedFiles, () => void addOpened());
}

async function addOpened(): Promise<void> {
  const files: PickedFile[] = [];
  for (const handle of claimOpenedFiles()) {
    try {
      files.push({ file: await handle.getFile(), handle });
    } catch (error) {
      showAlert(handle.name, messageOf(error));
    }
  }
  await addFiles(files);
}
