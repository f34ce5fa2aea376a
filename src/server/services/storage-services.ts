import type { Foundations } from '../foundations.ts';
import { DerivedFiles } from '../storage/derived-files.ts';
import { DiskSpace } from '../storage/disk-space.ts';
import type { FileCalls } from '../storage/disk-storage.ts';
import { DiskStorage } from '../storage/disk-storage.ts';
import { SharedFiles } from '../storage/shared-files.ts';

/** The places of the server's own files. */
export interface StorageServices {
  /** The open files of all disks. */
  files: SharedFiles;
  diskSpace: DiskSpace;
  /** Encodings, storyboards and subtitles. */
  derivedFiles: DerivedFiles;
  posterFiles: DerivedFiles;
}

/** @param calls the calls that change the folder of encodings, in tests */
export function createStorageServices({ clock, folders }: Foundations, calls?: FileCalls): StorageServices {
  const files = new SharedFiles(clock);
  return {
    files,
    diskSpace: new DiskSpace(),
    derivedFiles: new DerivedFiles(new DiskStorage(folders.derived, { files, calls })),
    posterFiles: new DerivedFiles(new DiskStorage(folders.posters, { files })),
  };
}
