import { proxy, ref } from 'valtio/vanilla';
import { openView } from '../navigation.ts';

/** Files that the system has opened with the app, until Upload claims them: it is shown to whoever is signed in. */
export const openedFiles = proxy<{ waiting: FileSystemFileHandle[] }>({ waiting: [] });

/** Opens Upload with them. */
export function offerOpenedFiles(files: readonly FileSystemFileHandle[]): void {
  openedFiles.waiting.push(...files.map((file) => ref(file)));
  openView('upload');
}

/** They are given out once. */
export function claimOpenedFiles(): FileSystemFileHandle[] {
  return openedFiles.waiting.splice(0);
}
