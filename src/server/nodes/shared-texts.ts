import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { Log } from '../log.ts';
import type { Repetition } from '../repeat.ts';
import { repeat } from '../repeat.ts';
import { nodeRepository } from './node-repository.ts';

interface SharedTextsDeps {
  database: Pick<Database, 'reader' | 'write' | 'dialect'>;
  clock: Clock;
  log: Log;
  /** The data folder. */
  folder: string;
}

/** Files of the operator that count for the whole site. */
const names = ['plans.json', 'whats-new.md', 'eula.md'] as const;
type TextName = (typeof names)[number];

const shareEveryMs = 30_000;
const maxBytes = 256 * 1024;

/**
 * Texts of the operator. A node that has the file passes it on to those that do not; it wins over
 * what another one has passed on.
 */
export class SharedTexts {
  private readonly deps: SharedTextsDeps;
  /** The texts that this node has passed on. */
  private readonly passed = new Map<TextName, string>();
  private timer: Repetition | null = null;

  constructor(deps: SharedTextsDeps) {
    this.deps = deps;
  }

  /** Passes the files on, now and when they change. */
  async start(): Promise<void> {
    // SQLite has one node, which reads its own files.
    if (this.deps.database.dialect.kind === 'sqlite') return;
    const onFault = (err: unknown) => this.deps.log.warn({ err }, 'texts of the operator could not be passed on');
    this.timer = repeat(() => this.share(), shareEveryMs, onFault);
    await this.share();
  }

  stop(): void {
    this.timer?.stop();
  }

  /** Reads a text; longer ones are cut. Null if no node has the file. */
  async read(name: TextName): Promise<string | null> {
    const { database, folder } = this.deps;
    return (await readText(join(folder, name))) ?? nodeRepository.findText(database.reader, name);
  }

  /** Passes on what has changed, and takes back what is gone. */
  async share(): Promise<void> {
    const { database, clock, folder } = this.deps;
    for (const name of names) {
      const text = await readText(join(folder, name));
      if (text === (this.passed.get(name) ?? null)) continue;
      await database.write((transaction) => nodeRepository.putText(transaction, name, text, clock.now()));
      if (text === null) this.passed.delete(name);
      else this.passed.set(name, text);
    }
  }
}

async function readText(file: string): Promise<string | null> {
  try {
    await using handle = await open(file);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxBytes), { position: 0 });
    return buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
