import { parentPort } from 'node:worker_threads';
import type { FetchedBlocks, FilePath } from './file-reading.ts';
import { readBlocks, readFile } from './file-reading.ts';

/** A file, and whether texts in files beside it are to be read, too; or what is here of a file. */
export type FileToRead = { path: FilePath; hasTexts: boolean } | FetchedBlocks;

/**
 * A request to the worker thread that reads files. A thread keeps a disk that has to spin up from
 * blocking the server, and limits the memory that a file can use.
 */
export interface ReadRequest {
  files: readonly FileToRead[];
  /** A shared array whose only element counts the files that are done. */
  done: Int32Array;
}

parentPort?.on('message', ({ files, done }: ReadRequest) => {
  const readings = files.map((file) => {
    const reading = 'path' in file ? readFile(file.path, file.hasTexts) : readBlocks(file);
    Atomics.add(done, 0, 1);
    return reading;
  });
  parentPort?.postMessage(readings);
});

parentPort?.postMessage('up');
