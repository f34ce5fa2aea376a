import { parentPort } from 'node:worker_threads';
import type { FilePath } from './file-reading.ts';
import { readFile } from './file-reading.ts';

/** A file, and whether texts in files beside it are to be read, too. */
export interface FileToRead {
  path: FilePath;
  hasTexts: boolean;
}

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
  const readings = files.map(({ path, hasTexts }) => {
    const reading = readFile(path, hasTexts);
    Atomics.add(done, 0, 1);
    return reading;
  });
  parentPort?.postMessage(readings);
});

parentPort?.postMessage('up');
