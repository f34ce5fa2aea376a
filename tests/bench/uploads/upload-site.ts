import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { UploadSession } from '#contract/entities/upload.ts';
import { engineOptions } from '#tests/support/serve-command.ts';
import type { SiteOrder } from './site-order.ts';

/** What the server went through since it was told to watch. */
export interface Strain {
  /** The 99th percentile of the event loop's delay. */
  loopP99Ms: number;
  /** The highest that was seen. */
  rssMegabytes: number;
}

/** A file's address on it, and the key that opens it. */
export interface Destination {
  fileId: string;
  sessionId: string;
  url: string;
  key: string;
}

const compileCache = fileURLToPath(new URL('../../../.build/compile-cache', import.meta.url));

/** The settings of the engine that `npm start` sets. */
const engine = {
  execArgv: engineOptions(),
  env: { MALLOC_ARENA_MAX: '2', NODE_COMPILE_CACHE: compileCache },
};

/** The product's own server in a process of its own. */
export class UploadSite {
  readonly folder: string;
  readonly dataFolder: string;
  private readonly more: Record<string, string>;
  private child: ChildProcess | null = null;
  private address = '';

  private constructor(folder: string, more: Record<string, string>) {
    this.folder = folder;
    this.dataFolder = join(folder, 'data');
    this.more = more;
  }

  /**
   * @param parent the folder in which it has a folder of its own
   * @param more variables of its environment
   * @param fill puts videos into its library
   */
  static async start(
    parent: string,
    more: Record<string, string> = {},
    fill: (library: string) => void = () => {},
  ): Promise<UploadSite> {
    const site = new UploadSite(await mkdtemp(join(parent, 'site-')), more);
    await mkdir(join(site.folder, 'library'));
    fill(join(site.folder, 'library'));
    await site.run();
    return site;
  }

  get url(): string {
    return this.address;
  }

  /** Starts its process; again after it was killed. */
  async run(): Promise<void> {
    const env = {
      ...engine.env,
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: this.dataFolder,
      LIBRARY_DIRS: join(this.folder, 'library'),
      ...this.more,
    };
    const script = fileURLToPath(new URL('./site-process.ts', import.meta.url));
    this.child = fork(script, { execArgv: engine.execArgv, env });
    const { port } = await this.nextMessage<{ port: number }>();
    this.address = `${this.more.TLS_CERT_FILE === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  }

  /** @returns where each file of these sizes goes @throws when it is refused */
  async open(...sizes: number[]): Promise<Destination[]> {
    const session = await this.order<UploadSession & { refused?: string }>({ open: sizes });
    if (session.refused !== undefined) throw new Error(session.refused);
    return session.files.map(({ id, address }) => ({
      fileId: id,
      sessionId: session.session_id,
      url: `${this.address}${address}`,
      key: session.bunny_access_key,
    }));
  }

  async watch(): Promise<void> {
    await this.order('watch');
  }

  report(): Promise<Strain> {
    return this.order<Strain>('report');
  }

  /** Writes a row. @returns whether it could */
  async canWrite(): Promise<boolean> {
    return (await this.order<{ refused?: string }>('write')).refused === undefined;
  }

  /** The same place after it was started again, on another port. */
  relocate(destination: Destination): Destination {
    return { ...destination, url: `${this.address}${new URL(destination.url).pathname}` };
  }

  /** Bytes that lie on its disk of a file that is coming. */
  partOf({ fileId }: Destination): string {
    return join(this.dataFolder, 'uploads', 'parts', fileId);
  }

  async kill(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    if (this.process.connected) {
      const ended = once(this.process, 'exit');
      this.process.disconnect();
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  private get process(): ChildProcess {
    if (this.child === null) throw new Error('The site does not run.');
    return this.child;
  }

  private async order<Answer>(order: SiteOrder): Promise<Answer> {
    this.process.send(order);
    return this.nextMessage<Answer>();
  }

  private async nextMessage<Answer>(): Promise<Answer> {
    const [answer] = (await once(this.process, 'message')) as [Answer];
    return answer;
  }
}
