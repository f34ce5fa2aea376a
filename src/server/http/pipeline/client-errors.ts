import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Ids } from '../../ids.ts';
import { Refusal, toErrorReply } from './errors.ts';

const statusByCode: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** What cannot even be read as HTTP gets an answer in the usual form, and the connection ends. */
export function answerClientError(error: Error & { code?: string }, socket: Socket, ids: Ids): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statusByCode[error.code ?? ''] ?? 400;
  const requestId = ids.request();
  const body = JSON.stringify(toErrorReply(new Refusal('bad_request'), requestId));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
