import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { Connection } from './connection.ts';
import type { CutKind } from './direction.ts';
import { Direction } from './direction.ts';

const usualHost = '127.0.0.1';

/** A port of 127.0.0.1, or the path of a socket. */
type Target = number | string;

/**
 * An address in front of a server, with a network between the two that a test can make misbehave while it runs, byte by
 * byte. What it does to single requests is for `go-between.ts`.
 */
export class FaultyNetwork {
  readonly toServer = new Direction();
  readonly toClient = new Direction();
  private readonly listener: Server;
  private readonly open = new Set<Connection>();
  private readonly all: Connection[] = [];
  private target: Target;
  private readonly host: string;
  private port: number;

  private constructor(target: Target, host: string, port: number) {
    this.target = target;
    this.host = host;
    this.port = port;
    this.listener = createServer({ allowHalfOpen: true }, (client) => void this.join(client));
  }

  /**
   * @param server its address, its port of 127.0.0.1, or the path of its socket
   * @param at where clients connect; absent: some port of 127.0.0.1
   */
  static async start(server: string | number, { host = usualHost, port = 0 } = {}): Promise<FaultyNetwork> {
    const network = new FaultyNetwork(targetOf(server), host, port);
    await network.listen();
    return network;
  }

  /** Where clients connect. It stays the same as long as the network lives. */
  get address(): string {
    return `http://${this.host}:${this.port}`;
  }

  /** All connections so far, in their order, those that are closed, too. */
  get connections(): readonly Pick<Connection, 'bytesToServer'>[] {
    return this.all;
  }

  /** From the next connection on: a server that was started again may have another port. */
  leadTo(server: string | number): void {
    this.target = targetOf(server);
  }

  cutAll(kind: CutKind = 'reset'): void {
    for (const connection of this.open) connection.cut(kind);
  }

  /** The server is gone: open connections are reset and new ones refused, until `accept`. */
  async refuse(): Promise<void> {
    if (!this.listener.listening) return;
    this.listener.close();
    this.cutAll();
    await once(this.listener, 'close');
  }

  async accept(): Promise<void> {
    if (!this.listener.listening) await this.listen();
  }

  /** Ends what has stalled, too. */
  async close(): Promise<void> {
    await this.refuse();
    for (const direction of [this.toServer, this.toClient]) direction.pass();
  }

  private async listen(): Promise<void> {
    this.listener.listen(this.port, this.host);
    await once(this.listener, 'listening');
    this.port = (this.listener.address() as AddressInfo).port;
  }

  private async join(client: Socket): Promise<void> {
    const place = typeof this.target === 'number' ? { port: this.target, host: usualHost } : { path: this.target };
    const server = connect({ ...place, allowHalfOpen: true });
    const connection = new Connection(client, server, typeof this.target === 'string');
    this.all.push(connection);
    this.open.add(connection);
    await connection.run(this.toServer, this.toClient);
    this.open.delete(connection);
  }
}

function targetOf(server: string | number): Target {
  return typeof server === 'number' || server.startsWith('/') ? server : Number(new URL(server).port);
}
