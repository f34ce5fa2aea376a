import { parentPort } from 'node:worker_threads';
import type { TextToConvert } from './subtitle-converter.ts';
import { toWebVtt } from './web-vtt.ts';

/**
 * Converts subtitles in a worker thread: the largest allowed file takes a tenth of a second, and a
 * crafted one could take longer.
 */
parentPort?.on('message', ({ bytes, language }: TextToConvert) => {
  const vtt = new TextEncoder().encode(toWebVtt(Buffer.from(bytes.buffer), language));
  parentPort?.postMessage(vtt, [vtt.buffer]);
});

parentPort?.postMessage('up');
