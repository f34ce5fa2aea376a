import { parentPort } from 'node:worker_threads';
import type { FilePath } from './file-reading.ts';
import { readFile } from './file-reading.ts';

/**
 * Runs in a thread of its own, because a disk that has to wake up would hold the server, and no file may take its
 * memory.
 */
export interface ReadRequest {
  files: readonly FilePath[];
  /** Shared; its only number counts the files that are done. */
  done: Int32Array;
}

parentPort?.on('message', ({ files, done }: ReadRequest) => {
  const readings = files.map((file) => {
    const reading = readFile(file);
    Atomics.add(done, 0, 1);
    return reading;
  });
  parentPort?.postMessage(readings);
});

parentPort?.postMessage('up');
