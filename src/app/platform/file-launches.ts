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
