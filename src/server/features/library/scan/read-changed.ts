import type { FileReading } from '../../../media/probe/file-reading.ts';
import type { LibraryRoot } from '../paths/library-root.ts';
import type { ChangedFile } from './compare.ts';
import type { ScanRun, ScanTools } from './scan-tools.ts';
import type { FoundFile } from './walk.ts';

/** A new or changed file with what its bytes say. */
export interface ReadFile extends ChangedFile {
  root: LibraryRoot;
  reading: FileReading;
}

/**
 * Reads the headers of some files. A file that is not the same afterwards is being written, or has gone: nothing is
 * stored of it, and it is looked at again.
 */
export async function readChanged(
  tools: ScanTools,
  run: ScanRun,
  root: LibraryRoot,
  changed: readonly ChangedFile[],
): Promise<ReadFile[]> {
  const readings = await tools.headers.read(changed.map(({ file }) => file.file));
  run.count.read += changed.length;
  const read = changed.flatMap((change, index) => toReadFile(root, change, readings[index]));
  const settled = read.filter(({ file }) => isSettled(tools, file));
  if (settled.length < changed.length) noteUnsettled(run, root, changed, settled);
  return settled;
}

function toReadFile(root: LibraryRoot, change: ChangedFile, reading: FileReading | undefined): ReadFile[] {
  return reading === undefined ? [] : [{ ...change, root, reading }];
}

function isSettled({ files }: ScanTools, { file, size, modifiedUs, inode }: FoundFile): boolean {
  try {
    const facts = files.follow(file);
    return facts?.kind === 'file' && facts.size === size && facts.modifiedUs === modifiedUs && facts.inode === inode;
  } catch {
    return false;
  }
}

function noteUnsettled(
  run: ScanRun,
  root: LibraryRoot,
  changed: readonly ChangedFile[],
  settled: readonly ReadFile[],
): void {
  const paths = new Set(settled.map(({ file }) => file.path));
  for (const { file } of changed)
    if (!paths.has(file.path)) run.unsettled.push({ rootNumber: root.number, path: file.path });
}
