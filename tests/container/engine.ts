import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from '#tests/support/free-port.ts';
import type { Site } from '#tests/support/product.ts';
import { ComposeFile } from './compose-file.ts';

const run = promisify(execFile);
const mark = `fourfold-test-${process.pid}`;
const pollMs = 250;
/** Nets for what hangs. */
const buildPatienceMs = 60 * 60_000;
const patienceMs = 180_000;

/** What a step needs and this machine lacks. */
export class NotTried extends Error {}

export interface ContainerOptions {
  /** Name of a volume for `/data`. */
  data: string;
  /** Folder of videos. */
  library: string;
  settings?: Record<string, string>;
  /** Further arguments of `run`. */
  flags?: readonly string[];
}

/** Podman or Docker, by its command. */
export class Engine {
  private readonly command: string;
  private readonly made: (readonly string[])[] = [];

  private constructor(command: string) {
    this.command = command;
  }

  /** The first one that answers; null without any. */
  static find(): Engine | null {
    const command = ['podman', 'docker'].find((name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0);
    return command === undefined ? null : new Engine(command);
  }

  get isPodman(): boolean {
    return this.command === 'podman';
  }

  /** The output of a command. @throws with what it said */
  async call(...args: string[]): Promise<string> {
    const { stdout } = await run(this.command, args, { timeout: buildPatienceMs, maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  }

  /** Stdout and stderr of a container together, or of a command that fails. */
  said(...args: string[]): string {
    const { stdout, stderr } = spawnSync(this.command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    return `${stdout}${stderr}`;
  }

  async build(folder: string): Promise<string> {
    const image = `localhost/${mark}`;
    const words = ['build', ...(this.isPodman ? ['--format', 'docker'] : []), '-f', '.container/Containerfile'];
    try {
      await run(this.command, [...words, '-t', image, '.'], { cwd: folder, timeout: buildPatienceMs, maxBuffer: 1e9 });
    } catch (error) {
      const { stderr = '' } = error as { stderr?: string };
      if (/initializing source|failed to resolve|registry-1|pull access|i\/o timeout.*registry/.test(stderr))
        throw new NotTried(`the base images cannot be had: ${stderr.trim().split('\n').at(-1)}`);
      throw error;
    }
    this.made.push(['rmi', image]);
    return image;
  }

  /** A name for a volume that is removed at the end. */
  volume(name: string): string {
    const own = `${mark}-${name}`;
    if (!this.made.some((words) => words.includes(own))) this.made.push(['volume', 'rm', '--force', own]);
    return own;
  }

  /** Starts the image with what the compose file allows, and waits for its health. */
  async start(image: string, { data, library, settings = {}, flags = [] }: ContainerOptions): Promise<Container> {
    const compose = new ComposeFile();
    const name = `${mark}-${this.made.length}`;
    const port = await findFreePort();
    const allowed = [
      ...compose.list('cap_drop').map((right) => `--cap-drop=${right}`),
      ...compose.list('cap_add').map((right) => `--cap-add=${right}`),
      ...compose.list('security_opt').map((option) => `--security-opt=${option.replace(':true', '')}`),
      ...compose.list('tmpfs').map((folder) => `--tmpfs=${folder}`),
      ...(compose.value('read_only') === 'true' ? ['--read-only'] : []),
    ];
    const variables = { LIBRARY_DIRS: '/library', ...settings };
    this.made.push(['rm', '--force', '--volumes', name]);
    await this.call(
      ...['run', '--detach', '--name', name, '--publish', `127.0.0.1:${port}:4400`, ...allowed, ...flags],
      ...Object.entries(variables).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      ...['--volume', `${data}:/data`, '--volume', `${library}:/library:ro`, image],
    );
    const container = new Container(this, name, `http://127.0.0.1:${port}`);
    await until(`${name} answers`, async () => {
      if ((await container.state('Running')) !== 'true') throw new Error(`It has ended: ${container.logs()}`);
      return (await fetch(`${container.address}/healthz`).catch(() => null))?.ok === true;
    });
    return container;
  }

  removeAll(): void {
    for (const words of this.made.toReversed()) spawnSync(this.command, [...words], { stdio: 'ignore' });
  }
}

export class Container implements Site {
  readonly dataDir = '/data';
  readonly address: string;
  readonly name: string;
  private readonly engine: Engine;

  constructor(engine: Engine, name: string, address: string) {
    this.engine = engine;
    this.name = name;
    this.address = address;
  }

  /** The code that the log shows while there is no account. */
  get setupCode(): string | null {
    return /\b[B-Z]{4}-[B-Z]{4}\b/.exec(this.logs())?.[0] ?? null;
  }

  logs(): string {
    return this.engine.said('logs', this.name);
  }

  state(fact: string): Promise<string> {
    return this.engine.call('inspect', '--format', `{{.State.${fact}}}`, this.name);
  }

  /** What a shell in the container prints, as the user of the server. */
  shell(script: string, user = '1000:1000'): Promise<string> {
    return this.engine.call('exec', '--user', user, this.name, 'sh', '-c', script);
  }

  /** Sends SIGTERM. @returns the seconds until the end */
  async stop(): Promise<number> {
    const began = performance.now();
    await this.engine.call('stop', '--time', '60', this.name);
    return (performance.now() - began) / 1000;
  }
}

/** @throws when it does not become true in time */
export async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await delay(pollMs))
    if (await isTrue()) return;
  throw new Error(`It never came about that ${what}.`);
}

/** Opens a stream and leaves it unread, so that a server that stops has to cut it. */
export async function holdStream(url: string): Promise<void> {
  const request = get(url).on('error', () => {});
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.on('error', () => {}).pause();
}
