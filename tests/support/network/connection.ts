import type { Socket } from 'node:net';
import type { CutKind, Direction } from './direction.ts';

/** More than this is not held back for a delay: the sender waits. */
const maxDelayedBytes = 4 * 1024 * 1024;

/** One client's connection and the one to the server that belongs to it. */
export class Connection {
  private readonly client: Socket;
  private readonly server: Socket;
  /** The server listens on a path, where nothing can be reset. */
  private readonly isByPath: boolean;
  private toServerBytes = 0;
  private isCut = false;

  constructor(client: Socket, server: Socket, isByPath: boolean) {
    this.client = client;
    this.server = server;
    this.isByPath = isByPath;
    // Errors are seen where the bytes are read; later ones change nothing.
    for (const socket of [client, server]) socket.on('error', () => {});
  }

  /** That were forwarded to the server. */
  get bytesToServer(): number {
    return this.toServerBytes;
  }

  /** Forwards in both directions until both sides have ended. */
  async run(toServer: Direction, toClient: Direction): Promise<void> {
    await Promise.all([
      this.forward(this.client, this.server, toServer, (bytes) => {
        this.toServerBytes += bytes;
      }),
      this.forward(this.server, this.client, toClient, () => {}),
    ]);
  }

  cut(kind: CutKind): void {
    if (this.isCut) return;
    this.isCut = true;
    for (const socket of [this.client, this.server])
      if (kind === 'end') socket.destroySoon();
      else if (socket === this.server && this.isByPath) socket.destroy();
      else socket.resetAndDestroy();
  }

  private async forward(from: Socket, to: Socket, direction: Direction, count: (bytes: number) => void): Promise<void> {
    let sent = Promise.resolve();
    let delayedBytes = 0;
    try {
      // The other direction may still be open when this one has ended.
      for await (const piece of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        const due = direction.whenDue();
        delayedBytes += piece.length;
        sent = Promise.all([due, sent]).then(async () => {
          await this.send(piece, to, direction, count);
          delayedBytes -= piece.length;
        });
        if (!due || delayedBytes > maxDelayedBytes) await sent;
      }
      await sent;
      await direction.whenOpen();
      to.end();
    } catch {
      // One side has reset the connection: the other one is told the same way.
      this.cut('reset');
    }
  }

  private async send(piece: Buffer, to: Socket, direction: Direction, count: (bytes: number) => void): Promise<void> {
    let rest = piece;
    while (rest.length > 0) {
      await direction.whenOpen();
      if (direction.isLosing || to.destroyed) return;
      const size = direction.claim(rest);
      const kind = size === 0 ? direction.makeCut() : null;
      if (kind) return this.cut(kind);
      await write(to, rest.subarray(0, size));
      count(size);
      await direction.count(size);
      rest = rest.subarray(size);
    }
  }
}

/** A socket that cannot be written to is destroyed, which is seen before the next piece. */
function write(to: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => void to.write(bytes, () => resolve()));
}
