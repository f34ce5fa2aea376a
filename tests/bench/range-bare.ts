import { fstatSync, openSync, read } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { contentRange, readByteRange } from '#server/http/pipeline/representation.ts';

/*
 * What the runtime itself costs: an http server of nothing but one read and one write for each range, with 8 ranges of
 * 1 MiB in flight. It asks nobody who may see what, and knows nothing of clients that do not read. Arguments: the file,
 * the port.
 */
const [file = '', port = '0'] = process.argv.slice(2);
const rangeBytes = 1_048_576;
const mostInFlight = 8;
const descriptor = openSync(file, 'r');
const { size } = fstatSync(descriptor);
const free = Array.from({ length: mostInFlight }, () => Buffer.allocUnsafeSlow(rangeBytes));
const waiting: ((buffer: Buffer<ArrayBuffer>) => void)[] = [];

function take(use: (buffer: Buffer<ArrayBuffer>) => void): void {
  const buffer = free.pop();
  if (buffer === undefined) waiting.push(use);
  else use(buffer);
}

function giveBack(buffer: Buffer<ArrayBuffer>): void {
  const next = waiting.shift();
  if (next === undefined) free.push(buffer);
  else next(buffer);
}

function answer(response: ServerResponse, range: string | undefined): void {
  const asked = readByteRange(range, size, rangeBytes);
  const window = asked.kind === 'part' ? asked.window : { start: 0, end: rangeBytes - 1 };
  const length = window.end - window.start + 1;
  take((buffer) => {
    read(descriptor, buffer, 0, length, window.start, () => {
      response.writeHead(206, {
        'content-type': 'video/mp4',
        'content-length': length,
        'content-range': contentRange(window, size),
      });
      // A client that goes in the middle must not take the buffer along.
      if (response.closed || response.destroyed) return giveBack(buffer);
      response.once('close', () => giveBack(buffer));
      response.write(buffer.subarray(0, length));
      response.end();
    });
  });
}

createServer((request, response) => answer(response, request.headers.range)).listen(Number(port), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
