import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AtEnd } from '../temporary-folder.ts';

/**
 * What is done with a call. `pass`: it goes on to the store. `refuse`: 503. `forbid`: 403. `reset`: the connection
 * breaks before the store hears of it. `lose`: the store does what it is told and its answer is
 * lost. `cut`: the answer ends after its first 64 KiB. `late-error`: 200 with an error in its body.
 * `skewed`: the answer of a store whose clock is an hour ahead. `page`: a page of a gateway. `freeze`:
 * nothing is answered. `stall`: the answer stops in its middle.
 */
export type StoreFault =
  | 'pass'
  | 'refuse'
  | 'forbid'
  | 'reset'
  | 'lose'
  | 'cut'
  | 'late-error'
  | 'skewed'
  | 'page'
  | 'freeze'
  | 'stall';

export interface StoreCall {
  method: string;
  /** With the query. */
  path: string;
  headers: IncomingMessage['headers'];
}

/** A go-between to a store that does harm as it is told. */
export interface FaultyStore {
  host: string;
  /** Every call that came, in its order. */
  calls: StoreCall[];
  /** Bytes of bodies that were sent to the clients. */
  sentBytes(): number;
  /** Answers with bodies that are neither whole nor ended. */
  openAnswers(): number;
  /** Decides of each call; at first all pass. */
  decide(fault: (call: StoreCall, number: number) => StoreFault): void;
}

const cutAfter = 64 * 1024;

/** @param target host and port of the store, which calls are signed for */
export async function openFaultyStore(target: string, atEnd: AtEnd): Promise<FaultyStore> {
  const [hostname, port] = target.split(':');
  const calls: StoreCall[] = [];
  let decideOf: (call: StoreCall, number: number) => StoreFault = () => 'pass';
  let sent = 0;
  let open = 0;
  const server = createServer((incoming, outgoing) => {
    const call = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers };
    calls.push(call);
    const fault = decideOf(call, calls.length);
    if (fault === 'freeze') incoming.resume();
    else if (fault === 'reset') incoming.socket.destroy();
    else if (fault === 'refuse') answer(outgoing, 503, 'SlowDown');
    else if (fault === 'forbid') answer(outgoing, 403, 'AccessDenied');
    else if (fault === 'late-error') answer(outgoing, 200, 'InternalError');
    else if (fault === 'skewed') answerSkewed(outgoing);
    else if (fault === 'page')
      outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Sign in.</body></html>');
    else forward(incoming, outgoing, fault);
  });

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, fault: StoreFault): void {
    const { method, url: path } = incoming;
    // Calls are signed for the host that the client knows.
    const to = { hostname, port, method, path, headers: incoming.headers, insecureHTTPParser: true };
    const onward = request(to, (reply) => {
      if (fault === 'lose') {
        reply.resume();
        reply.once('end', () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
      // Swift sends the end of a body with its refusals of HEAD, over which Node's parser stumbles.
      if (method === 'HEAD') {
        outgoing.end();
        return;
      }
      let length = 0;
      open += 1;
      reply.on('data', (bytes: Buffer) => {
        length += bytes.length;
        if (fault === 'stall' && length > cutAfter) return void reply.pause();
        sent += bytes.length;
        if (!outgoing.write(bytes)) reply.pause();
        if (fault === 'cut' && length > cutAfter) outgoing.destroy();
      });
      outgoing.on('drain', () => reply.resume());
      outgoing.once('close', () => {
        open -= 1;
        reply.destroy();
      });
      reply.once('end', () => outgoing.end());
      reply.once('error', () => outgoing.destroy());
    });
    onward.once('error', () => outgoing.headersSent || outgoing.destroy());
    incoming.pipe(onward);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    sentBytes: () => sent,
    openAnswers: () => open,
    decide(fault) {
      decideOf = fault;
    },
  };
}

function answer(outgoing: ServerResponse, status: number, code: string): void {
  outgoing.writeHead(status, { 'content-type': 'application/xml' });
  outgoing.end(`<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code></Error>`);
}

function answerSkewed(outgoing: ServerResponse): void {
  outgoing.setHeader('date', new Date(Date.now() + 3_600_000).toUTCString());
  answer(outgoing, 403, 'RequestTimeTooSkewed');
}
