import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { constants } from 'node:http2';

/** HTTP/1.1 or HTTP/2: both are only written to, ended and cut. */
export type ByteResponse = ServerResponse | Http2ServerResponse;

/** Whether a client is still there. */
export interface ClientWatch {
  readonly isGone: boolean;
  /** @returns whether the system has taken all of it; until then, and for good when not, the bytes have to stay as they are */
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
  const onClose = () => {
    isGone = true;
    onGone();
  };
  closing.once('close', onClose);
  return {
    get isGone() {
      return isGone;
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

/** An answer that waits behind another one on its connection is never told that the connection has closed. */
function closingOf(response: ByteResponse): NodeJS.EventEmitter {
  return isHttp2(response) || response.socket !== null ? response : response.req.socket;
}

function hasGone(response: ByteResponse): boolean {
  return isHttp2(response) ? response.stream.destroyed : response.destroyed || response.req.socket.destroyed;
}

/** The same for each answer that travels on it; undefined or null when it has gone. */
export function connectionOf(response: ByteResponse): object | null | undefined {
  return isHttp2(response) ? response.stream.session : response.socket;
}

export function isHttp2(response: ByteResponse): response is Http2ServerResponse {
  return 'stream' in response;
}
