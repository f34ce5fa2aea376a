/* File APIs are detected here and not in `capabilities.ts`, which is loaded at the start. */

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

/**
 * Whether pickers give handles, which outlive the page: Chromium 86 on desktops, with a secure
 * address.
 */
export function picksHandles(): boolean {
  return pickers().showOpenFilePicker !== undefined;
}

/** Whether a whole folder can be chosen: Chromium 86 on desktops, with a secure address. */
export function picksFolders(): boolean {
  return pickers().showDirectoryPicker !== undefined;
}

/** @returns an empty list when the user chose none, or the browser refused */
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

/** @returns null when the user chose none, or the browser refused */
export async function pickFolderHandle(): Promise<FolderHandle | null> {
  return (
    (await pickers()
      .showDirectoryPicker?.()
      .catch(() => null)) ?? null
  );
}

/**
 * The handle of a dropped item: Chromium 86 on desktops, with a secure address. Must be called
 * during the event.
 */
export function droppedHandle(item: DataTransferItem): Promise<PickedHandle | null> | null {
  return (item as HandleItem).getAsFileSystemHandle?.().catch(() => null) ?? null;
}

/**
 * The entry of a dropped file or folder, in all engines (`webkitGetAsEntry`). Must be called during
 * the event.
 */
export function droppedEntry(item: DataTransferItem): FileSystemEntry | null {
  return 'webkitGetAsEntry' in item ? item.webkitGetAsEntry() : null;
}

interface LaunchQueue {
  setConsumer(consume: (launch: { readonly files?: readonly FileSystemHandle[] }) => void): void;
}

/**
 * Calls back with the files that the system opens with the installed app, including those opened
 * before this call. Chromium 102 on desktops; has no effect elsewhere. Returns a function that
 * stops it.
 */
export function onFilesOpened(listener: (files: FileSystemFileHandle[]) => void): () => void {
  const { launchQueue } = window as { launchQueue?: LaunchQueue };
  launchQueue?.setConsumer(({ files = [] }) => {
    const opened = files.filter(isFile);
    if (opened.length > 0) listener(opened);
  });
  return () => launchQueue?.setConsumer(() => {});
}

function isFile(handle: FileSystemHandle): handle is FileSystemFileHandle {
  return handle.kind === 'file';
}
