import type { Socket } from 'node:net';
import { connect } from 'node:net';

/** Plain connections that do not speak as a client should. */
export interface Sockets {
  /** Opens one and sends this. What comes is read, unless `isDeaf`. */
  open(text?: string | Buffer, options?: { from?: string; isDeaf?: boolean }): Socket;
  /** How many are still open. */
  readonly size: number;
  closeAll(): void;
}

export function createSockets(port: number): Sockets {
  const sockets = new Set<Socket>();
  return {
    open(text = '', { from = '127.0.0.3', isDeaf = false } = {}) {
      const socket = connect({ host: '127.0.0.1', port, localAddress: from });
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
      if (isDeaf) socket.pause();
      else socket.resume();
      if (text.length > 0) socket.write(text);
      return socket;
    },
    get size() {
      return sockets.size;
    },
    closeAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Everything that came until the other side closed, or for so long. */
export function readAll(socket: Socket, limitMs: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  const late = setTimeout(() => socket.destroy(), limitMs);
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
  });
  socket.on('close', () => {
    clearTimeout(late);
    resolve(text);
  });
  return promise;
}
