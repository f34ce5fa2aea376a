import { parentPort } from 'node:worker_threads';
import { toWebVtt } from './web-vtt.ts';

/** Runs in a thread of its own: the largest file takes a tenth of a second, and nobody knows what a file may cost. */
parentPort?.on('message', (bytes: Uint8Array<ArrayBuffer>) => {
  const vtt = new TextEncoder().encode(toWebVtt(Buffer.from(bytes.buffer)));
  parentPort?.postMessage(vtt, [vtt.buffer]);
});

parentPort?.postMessage('up');
