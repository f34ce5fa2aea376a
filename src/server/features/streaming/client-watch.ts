import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { constants } from 'node:http2';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { Reader } from './chunk-reader.ts';

/** HTTP/1.1 or HTTP/2: both are only written to, ended and cut. */
export type ByteResponse = ServerResponse | Http2ServerResponse;

/** Whether a client is still there. */
export interface ClientWatch extends Reader {
  /**
   * @returns whether the system has taken all of it; until then, and for good when not, the bytes have to stay as they
   * are
   */
  write(bytes: Buffer): Promise<boolean>;
  end(): void;
}

interface Writer {
  write(bytes: Buffer, done: (error?: Error | null) => void): boolean;
}

export function watchClient(response: ByteResponse): ClientWatch {
  const writer: Writer = response;
  const closing = closingOf(response);
  let isGone = hasGone(response);
  let onGone = () => {};
  let waiting: PromiseWithResolvers<void> | undefined;
  const onClose = () => {
    isGone = true;
    onGone();
    waiting?.resolve();
  };
  closing.once('close', onClose);
  return {
    get isGone() {
      return isGone;
    },
    whenGone() {
      waiting ??= Promise.withResolvers();
      if (isGone) waiting.resolve();
      return waiting.promise;
    },
    write(bytes) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      onGone = () => resolve(false);
      writer.write(bytes, (error) => {
        if (error instanceof Error) isGone = true;
        resolve(!isGone);
      });
      return promise;
    },
    end() {
      closing.off('close', onClose);
    },
  };
}

/** Ends an answer that cannot be completed, so that the client sees that it is not whole. */
export function cut(response: ByteResponse): void {
  if (isHttp2(response)) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

/** Ends the connection of a client that does not read, and with it what the system still holds for it. */
export function drop(response: ByteResponse): void {
  if (isHttp2(response) || !isPlainSocket(response.socket)) cut(response);
  else response.socket.resetAndDestroy();
}

/** An answer that waits behind another one on its connection is never told that the connection has closed. */
function closingOf(response: ByteResponse): NodeJS.EventEmitter {
  return isHttp2(response) || response.socket !== null ? response : response.req.socket;
}

export function hasGone(response: ByteResponse): boolean {
  return isHttp2(response) ? response.stream.destroyed : response.destroyed || response.req.socket.destroyed;
}

/** The same for each answer that travels on it; undefined when it has gone. */
export function connectionOf(response: ByteResponse): object | undefined {
  return isHttp2(response) ? response.stream.session : response.req.socket;
}

/** What it is sent through; of HTTP/2 as far as the session lets others see it. */
export function socketOf(response: ByteResponse): Socket | undefined {
  return isHttp2(response) ? response.stream.session?.socket : response.req.socket;
}

/** TCP without TLS. */
function isPlainSocket(socket: unknown): socket is Socket {
  return socket instanceof Socket && !(socket instanceof TLSSocket);
}

export function isHttp2(response: ByteResponse): response is Http2ServerResponse {
  return 'stream' in response;
}
