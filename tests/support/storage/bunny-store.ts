import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer as createRelay } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { AtEnd } from '../temporary-folder.ts';

interface Stored {
  bytes: Buffer;
  changed: Date;
}

/** A stand-in for a storage zone of bunny.net, as its documentation describes the HTTP interface. */
export interface BunnyZone {
  /** @param place a folder of the zone */
  url(place: string): string;
  secret: string;
  /** The paths below the zone of all files. */
  files: Map<string, Stored>;
  calls: { method: string; path: string }[];
  /** Runs before a call is answered; what it returns is the status of a refusal. */
  before: (method: string, path: string) => Promise<number | null> | number | null;
}

export async function openBunnyZone(atEnd: AtEnd): Promise<BunnyZone> {
  const secret = 'password-of-the-zone';
  const server = createServer((request, reply) => {
    answer(zone, request, reply).catch(() => request.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<Socket>();
  const relay = createRelay((socket) => {
    const inner = connect((server.address() as AddressInfo).port, '127.0.0.1');
    for (const one of [socket, inner]) {
      sockets.add(one);
      one.on('close', () => sockets.delete(one)).on('error', () => {});
    }
    // Node's parser knows no DESCRIBE. A head begins a chunk, as no call is sent before an answer.
    socket.on('data', (chunk) => inner.write(describing(chunk)));
    socket.on('close', () => inner.destroy());
    inner.pipe(socket);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    relay.close();
    server.close();
  });
  const zone: BunnyZone = {
    url: (place) => `bunny://zone@127.0.0.1:${(relay.address() as AddressInfo).port}/${place}?tls=off`,
    secret,
    files: new Map(),
    calls: [],
    before: () => null,
  };
  return zone;
}

const describe = 'DESCRIBE /';

function describing(chunk: Buffer): Buffer {
  if (chunk.toString('latin1', 0, describe.length) !== describe) return chunk;
  const text = chunk.toString('latin1').replace(describe, 'GET /').replace('\r\n', '\r\nx-describe: 1\r\n');
  return Buffer.from(text, 'latin1');
}

async function answer(zone: BunnyZone, request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const method = request.headers['x-describe'] === undefined ? (request.method ?? '') : 'DESCRIBE';
  const path = decodeURIComponent((request.url ?? '').slice('/zone/'.length));
  const send = (status: number, body: unknown = { HttpCode: status, Message: 'said' }) =>
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  zone.calls.push({ method, path });
  const refused = await zone.before(method, path);
  if (refused !== null) return void send(refused);
  if (request.headers.accesskey !== zone.secret || !request.url?.startsWith('/zone/')) return void send(401);
  if (method === 'PUT') return putFile(zone, path, request, send);
  if (method === 'DELETE') {
    const gone = [...zone.files.keys()].filter(
      (name) => name === path || (path.endsWith('/') && name.startsWith(path)),
    );
    for (const name of gone) zone.files.delete(name);
    return void send(gone.length > 0 ? 200 : 404);
  }
  if (method === 'GET' && (path === '' || path.endsWith('/'))) return void send(200, listFolder(zone, path));
  const file = zone.files.get(path);
  if (file === undefined) return void send(404, { HttpCode: 404, Message: 'Object Not Found' });
  if (method === 'DESCRIBE') return void send(200, entryOf(path, file));
  sendFile(file, request.headers.range, reply);
}

async function putFile(
  { files }: BunnyZone,
  path: string,
  request: IncomingMessage,
  send: (status: number) => void,
): Promise<void> {
  const bytes = await buffer(request);
  const { checksum } = request.headers;
  if (checksum !== undefined && checksum !== sumOf(bytes)) return send(400);
  files.set(path, { bytes, changed: new Date() });
  send(201);
}

function sendFile({ bytes, changed }: Stored, range: string | undefined, reply: ServerResponse): void {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  const headers = { 'last-modified': changed.toUTCString(), 'accept-ranges': 'bytes' };
  if (first === undefined) return void reply.writeHead(200, { ...headers, 'content-length': bytes.length }).end(bytes);
  const part = bytes.subarray(Number(first), Number(last) + 1);
  if (part.length === 0) return void reply.writeHead(416).end();
  const end = Number(first) + part.length - 1;
  reply.writeHead(206, {
    ...headers,
    'content-length': part.length,
    'content-range': `bytes ${first}-${end}/${bytes.length}`,
  });
  reply.end(part);
}

function listFolder({ files }: BunnyZone, folder: string): unknown[] {
  const entries = new Map<string, unknown>();
  for (const [path, file] of files) {
    if (!path.startsWith(folder)) continue;
    const [name = '', ...deeper] = path.slice(folder.length).split('/');
    entries.set(name, { ...entryOf(path, file), ObjectName: name, IsDirectory: deeper.length > 0 });
  }
  return [...entries.values()];
}

function entryOf(path: string, { bytes, changed }: Stored) {
  return {
    ObjectName: path.split('/').at(-1),
    Length: bytes.length,
    // The interface names no zone of its times.
    LastChanged: changed.toISOString().replace('Z', ''),
    IsDirectory: false,
    Checksum: sumOf(bytes),
  };
}

function sumOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').toUpperCase();
}
