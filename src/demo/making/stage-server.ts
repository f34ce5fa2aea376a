import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

export type TakeFrame = (frame: Buffer) => Promise<void>;

export type StageServer = { readonly address: string; readonly close: () => void };

const DEMO_FOLDER = new URL('../', import.meta.url);

/**
 * Serves the scenes to the browser as plain JavaScript and receives its frames; the browser goes on once `takeFrame` is
 * done with one.
 */
export async function openStageServer(takeFrame: TakeFrame): Promise<StageServer> {
  const server = createServer((request, response) => {
    answer(request, response, takeFrame).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('The stage server has no port.');
  return { address: `http://127.0.0.1:${address.port}/`, close: () => server.close() };
}

async function answer(request: IncomingMessage, response: ServerResponse, takeFrame: TakeFrame): Promise<void> {
  if (request.method === 'POST') {
    await takeFrame(await readBody(request));
    response.end();
    return;
  }
  const path = new URL(request.url ?? '/', 'http://stage').pathname;
  if (!path.endsWith('.ts')) {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Stage</title>');
    return;
  }
  const source = await readFile(fileURLToPath(new URL(`.${path}`, DEMO_FOLDER)), 'utf8');
  response.setHeader('content-type', 'text/javascript').end(stripTypeScriptTypes(source));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
