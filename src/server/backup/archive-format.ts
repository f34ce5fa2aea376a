import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { z } from 'zod';

/**
 * An archive is a gzipped tar file. Its members, in this order: `backup.json` (describes the
 * archive), `tables/<table>/<part>.jsonl` (one row per line), `files/<name>` (of DATA_DIR),
 * `manifest.json` (size and SHA-256 of each member before it).
 */
export const archiveFormat = 1;
export const headName = 'backup.json';
export const manifestName = 'manifest.json';

/** Files of DATA_DIR that an archive includes if they exist. A restore writes no other files. */
export const operatorFiles = [
  'whats-new.md',
  'eula.md',
  'plans.json',
  'tls/authority.crt',
  'tls/authority.key',
  'tls/server.crt',
  'tls/server.key',
] as const;

export const archiveLimits = {
  /** A part of a table ends with the row that reaches this size. */
  partBytes: 1_048_576,
  /** Largest size of a member. The manifest of 10 million videos takes 2 MiB. */
  memberBytes: 32 * 1_048_576,
  /**
   * The unpacked data may be this many times the size of the file, in addition to `freeBytes`. Rows
   * reach a factor of 25.
   */
  expansion: 100,
  freeBytes: 64 * 1_048_576,
};

/** The archive cannot be used. The message is a sentence for the person who restores it. */
export class ArchiveRefused extends Error {}

const countSchema = z.int().nonnegative();
/**
 * Row numbers have 32 bits in PostgreSQL and in the id sets, and a table continues from its last
 * number.
 */
const lastNumberSchema = countSchema.max(2_000_000_000);

export const headSchema = z.object({
  product: z.literal('fourfold'),
  format: z.int().positive(),
  /** Version of the product. */
  version: z.string(),
  created_at: z.iso.datetime(),
  database: z.enum(['sqlite', 'postgres']),
  /** Names of the applied migrations, which are the version of the schema. */
  migrations: z.array(z.string()).min(1),
  /** The last number that each table has assigned, so that no number is reused. */
  last_numbers: z.record(z.string(), lastNumberSchema),
});
export type ArchiveHead = z.infer<typeof headSchema>;

const memberFactsSchema = z.strictObject({ name: z.string(), size: countSchema, sha256: z.hex().length(64) });
export type MemberFacts = z.infer<typeof memberFactsSchema>;

export const manifestSchema = z.strictObject({
  members: z.array(memberFactsSchema),
  /** Number of rows of each table. */
  rows: z.record(z.string(), countSchema),
});
export type ArchiveManifest = z.infer<typeof manifestSchema>;

function partName(table: string, part: number): string {
  return `tables/${table}/${String(part).padStart(5, '0')}.jsonl`;
}

/** The content of a member, by its name; null for a name that no archive has. */
export function readMemberName(name: string): { table: string } | { file: string } | 'head' | 'manifest' | null {
  if (name === headName) return 'head';
  if (name === manifestName) return 'manifest';
  const [, table] = /^tables\/([a-z_]{1,40})\/\d{5,7}\.jsonl$/.exec(name) ?? [];
  if (table !== undefined) return { table };
  const file = operatorFiles.find((known) => name === `files/${known}`);
  return file === undefined ? null : { file };
}

/** The destination of an archive's bytes. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Writes the members one after the other and holds at most one in memory. */
export class ArchiveWriter {
  private readonly pack = pack();
  private readonly writing: Promise<void>;
  private readonly members: MemberFacts[] = [];
  private readonly rows: Record<string, number> = {};
  private readonly modifiedAt: Date;
  /** Rejects the pending `add`. */
  private giveUp: (error: unknown) => void = () => {};

  /** @param modifiedAt modification time of all members */
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
    // The pack stream only reports that a member was aborted; the cause is the error of `writing`.
    // Nothing that lives as long as the archive may hold a reference to a member.
    const hearWhy = (error: unknown) => void this.writing.then(() => reject(error), reject);
    this.giveUp = reject;
    try {
      this.pack.entry(facts, bytes, (error) => (error ? hearWhy(error) : resolve()));
    } catch (error) {
      hearWhy(error);
    }
    await promise;
  }

  /** @returns the number of rows */
  async addTable(table: string, rows: AsyncIterable<ArchiveRow>): Promise<number> {
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

  /** Writes the manifest, which is the last member, and waits until all bytes are written. */
  async finish(): Promise<void> {
    const manifest = { members: [...this.members], rows: this.rows };
    await this.add(manifestName, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
    this.pack.finalize();
    await this.writing;
  }

  /** Stops writing an incomplete archive. Never throws. */
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

export type ArchiveRow = Readonly<Record<string, string | number | Buffer | null>>;

/**
 * A row as a line of JSON without the line break: columns sorted by name, bytes as `{"base64":…}`.
 * Equal rows give the same line on both databases.
 */
export function toLine(row: ArchiveRow): string {
  const columns = Object.keys(row).sort();
  return JSON.stringify(Object.fromEntries(columns.map((column) => [column, toJson(row[column] ?? null)])));
}

function toJson(value: ArchiveRow[string]): unknown {
  return Buffer.isBuffer(value) ? { base64: value.toString('base64') } : value;
}

/** Reads the rows of one member, which have to have the same columns. @throws ArchiveRefused */
export function readLines(bytes: Buffer, member: string): ArchiveRow[] {
  const lines = bytes.toString('utf8').split('\n');
  if (lines.pop() !== '') throw new ArchiveRefused(`${member} ends within a row.`);
  const rows = lines.map((line) => readLine(line, member));
  const columns = Object.keys(rows[0] ?? {}).join();
  if (rows.some((row) => Object.keys(row).join() !== columns))
    throw new ArchiveRefused(`${member} holds rows of different columns.`);
  return rows;
}

function readLine(line: string, member: string): ArchiveRow {
  const parsed = parse(line);
  if (typeof parsed !== 'object' || parsed === null) throw new ArchiveRefused(`${member} holds a line that is no row.`);
  return Object.fromEntries(
    Object.entries(parsed).map(([column, value]) => [readColumn(column, member), readValue(value, member)]),
  );
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function readColumn(column: string, member: string): string {
  if (!/^[a-z][a-z0-9_]{0,40}$/.test(column))
    throw new ArchiveRefused(`${member} holds a column without a proper name.`);
  return column;
}

function readValue(value: unknown, member: string): ArchiveRow[string] {
  if (value === null || typeof value === 'string' || Number.isSafeInteger(value))
    return value as string | number | null;
  if (typeof value === 'object' && 'base64' in value && typeof value.base64 === 'string')
    return Buffer.from(value.base64, 'base64');
  throw new ArchiveRefused(`${member} holds a value of an unknown kind.`);
}

/**
 * The seal at the end of an archive: a second gzip member (RFC 1952, section 2.3) that unpacks to
 * nothing and carries the SHA-256 of all bytes before it in its extra field. gzip's own checksum
 * covers neither its header nor its padding bits.
 */
const before = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 36, 0, 0x46, 0x46, 32, 0]);
const digestLength = 32;
/** An empty block, and the checksum and length of no data. */
const after = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

export const sealLength = before.length + digestLength + after.length;

export function startSeal(): Hash {
  return createHash('sha256');
}

export function makeSeal(hash: Hash): Buffer {
  return Buffer.concat([before, hash.digest(), after]);
}

/** Whether these bytes have the form of a seal, whatever digest they carry. */
export function isSeal(bytes: Buffer): boolean {
  return (
    bytes.length === sealLength &&
    bytes.subarray(0, before.length).equals(before) &&
    bytes.subarray(before.length + digestLength).equals(after)
  );
}
