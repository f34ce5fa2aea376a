import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { MemberFacts } from './archive-format.ts';
import { archiveLimits, manifestName, partName } from './archive-format.ts';
import { makeSeal, startSeal } from './gzip-seal.ts';
import type { Row } from './row-lines.ts';
import { toLine } from './row-lines.ts';

/** Where an archive's bytes go. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Writes members one after the other; no more than one is held in memory. */
export class ArchiveWriter {
  private readonly pack = pack();
  private readonly writing: Promise<void>;
  private readonly members: MemberFacts[] = [];
  private readonly rows: Record<string, number> = {};
  private readonly modifiedAt: Date;
  /** Ends the wait of the member on its way. */
  private giveUp: (error: unknown) => void = () => {};

  /** @param modifiedAt of all members */
  constructor(sink: ByteSink, modifiedAt: Date) {
    this.modifiedAt = modifiedAt;
    this.writing = pipeline(Readable.from(this.pack, { objectMode: false }), createGzip(), (chunks) =>
      writeAll(chunks, sink),
    );
    this.writing.catch((error: unknown) => this.giveUp(error));
  }

  async add(name: string, bytes: Buffer): Promise<void> {
    this.members.push({ name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
    const facts = { name, mode: 0o600, mtime: this.modifiedAt, size: bytes.length };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // What ended the writing says why; a member only hears that it was given up. Nothing that lives as long as the
    // archive may hold on to a member.
    const hearWhy = (error: unknown) => void this.writing.then(() => reject(error), reject);
    this.giveUp = reject;
    try {
      this.pack.entry(facts, bytes, (error) => (error ? hearWhy(error) : resolve()));
    } catch (error) {
      hearWhy(error);
    }
    await promise;
  }

  /** @returns how many rows */
  async addTable(table: string, rows: AsyncIterable<Row>): Promise<number> {
    let lines: string[] = [];
    let length = 0;
    let parts = 0;
    let count = 0;
    const addPart = async () => {
      parts += 1;
      await this.add(partName(table, parts), Buffer.from(lines.join('')));
      lines = [];
      length = 0;
    };
    for await (const row of rows) {
      const line = `${toLine(row)}\n`;
      lines.push(line);
      length += line.length;
      count += 1;
      if (length >= archiveLimits.partBytes) await addPart();
    }
    if (lines.length > 0) await addPart();
    this.rows[table] = count;
    return count;
  }

  /** The manifest is the last member. */
  async finish(): Promise<void> {
    const manifest = { members: [...this.members], rows: this.rows };
    await this.add(manifestName, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
    this.pack.finalize();
    await this.writing;
  }

  /** Ends it without having written all; never throws. */
  async abandon(): Promise<void> {
    this.pack.destroy();
    await this.writing.catch(() => {});
  }
}

async function writeAll(chunks: AsyncIterable<Buffer>, sink: ByteSink): Promise<void> {
  const hash = startSeal();
  for await (const chunk of chunks) {
    hash.update(chunk);
    await sink.write(chunk);
  }
  await sink.write(makeSeal(hash));
}
