/*
 * Detected here and not in `capabilities.ts`, which belongs to the files of the start.
 */

interface FolderHandle {
  readonly kind: 'directory';
  readonly name: string;
  values(): AsyncIterable<FileSystemFileHandle | FolderHandle>;
}

export type PickedHandle = FileSystemFileHandle | FolderHandle;

interface FilePickers {
  showOpenFilePicker?(options: {
    multiple: boolean;
    types: { description: string; accept: Record<string, readonly string[]> }[];
  }): Promise<FileSystemFileHandle[]>;
  showDirectoryPicker?(): Promise<FolderHandle>;
}

interface HandleItem {
  getAsFileSystemHandle?(): Promise<PickedHandle | null>;
}

const pickers = () => window as FilePickers;

/** Pickers that give handles, which outlast the page: Chromium 86 on desktops, with a secure address. */
export function picksHandles(): boolean {
  return pickers().showOpenFilePicker !== undefined;
}

/** Whether a whole folder can be chosen: Chromium 86 on desktops, with a secure address. */
export function picksFolders(): boolean {
  return pickers().showDirectoryPicker !== undefined;
}

/** @returns none when the person has chosen none, or the browser refused */
export async function pickFileHandles(
  isMultiple: boolean,
  extensions: readonly string[],
): Promise<FileSystemFileHandle[]> {
  const types = [{ description: 'Videos', accept: { 'video/*': extensions } }];
  return (
    (await pickers()
      .showOpenFilePicker?.({ multiple: isMultiple, types })
      .catch(() => [])) ?? []
  );
}

/** @returns null when the person has chosen none, or the browser refused */
export async function pickFolderHandle(): Promise<FolderHandle | null> {
  return (
    (await pickers()
      .showDirectoryPicker?.()
      .catch(() => null)) ?? null
  );
}

/** The handle of what was dropped: Chromium 86 on desktops, with a secure address. Asked for while the event runs. */
export function droppedHandle(item: DataTransferItem): Promise<PickedHandle | null> | null {
  return (item as HandleItem).getAsFileSystemHandle?.().catch(() => null) ?? null;
}

/** A file, or a folder to walk through: all engines, as `webkitGetAsEntry`. Asked for while the event runs. */
export function droppedEntry(item: DataTransferItem): FileSystemEntry | null {
  return 'webkitGetAsEntry' in item ? item.webkitGetAsEntry() : null;
}

interface LaunchQueue {
  setConsumer(consume: (launch: { readonly files?: readonly FileSystemHandle[] }) => void): void;
}

/**
 * Calls back with the files that the system has opened with the installed app, also before this call. Chromium 102 on
 * desktops; nothing elsewhere. Returns a function that stops it.
 */
export function onFilesOpened(hear: (files: FileSystemFileHandle[]) => void): () => void {
  const { launchQueue } = window as { launchQueue?: LaunchQueue };
  launchQueue?.setConsumer(({ files = [] }) => {
    const opened = files.filter(isFile);
    if (opened.length > 0) hear(opened);
  });
  return () => launchQueue?.setConsumer(() => {});
}

function isFile(handle: FileSystemHandle): handle is FileSystemFileHandle {
  return handle.kind === 'file';
}
