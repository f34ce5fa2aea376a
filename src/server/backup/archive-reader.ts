import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Entry, Extract } from 'tar-stream';
import { extract } from 'tar-stream';
import type { z } from 'zod';
import { migrations as released } from '../database/migrations.ts';
import { openForReading } from '../storage/open-for-reading.ts';
import type { ArchiveHead, ArchiveManifest, MemberFacts } from './archive-format.ts';
import {
  ArchiveRefused,
  archiveFormat,
  archiveLimits,
  headSchema,
  isSeal,
  makeSeal,
  manifestSchema,
  readMemberName,
  sealLength,
  startSeal,
} from './archive-format.ts';
import { backupRepository } from './backup-repository.ts';
import type { Disk } from './disk.ts';
import { hasCode, isNightlyName, keptBackups } from './disk.ts';

/** An archive whose bytes have all been verified. */
export interface CheckedArchive {
  head: ArchiveHead;
  manifest: ArchiveManifest;
}

/**
 * Reads the whole archive and compares it with its manifest. Writes nothing.
 * @throws ArchiveRefused
 */
export async function checkArchive(file: FileHandle): Promise<CheckedArchive> {
  const found: MemberFacts[] = [];
  const rows: Record<string, number> = {};
  let head: ArchiveHead | undefined;
  let manifest: ArchiveManifest | undefined;
  for await (const member of readMembers(file)) {
    if (manifest !== undefined) throw new ArchiveRefused(`${member.name} follows the manifest, which is the last.`);
    head ??= readHead(member);
    const kind = readMemberName(member.name);
    if (kind === 'manifest') manifest = parse(member, manifestSchema);
    else found.push(describeMember(member));
    if (kind !== null && typeof kind === 'object' && 'table' in kind)
      rows[kind.table] = (rows[kind.table] ?? 0) + countLines(member.bytes);
  }
  if (head === undefined || manifest === undefined) throw new ArchiveRefused('It is damaged: its manifest is missing.');
  compare(found, manifest);
  compareRows(head, rows, manifest);
  return { head, manifest };
}

export function describeMember({ name, bytes }: Member): MemberFacts {
  return { name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/**
 * @throws ArchiveRefused if the archive was made by a newer version, with what this version does
 * not know
 */
function readHead(member: Member): ArchiveHead {
  if (readMemberName(member.name) !== 'head') throw new ArchiveRefused('This is no backup of Fourfold.');
  const head = parse(member, headSchema);
  if (head.format > archiveFormat)
    throw new ArchiveRefused(
      `It was made by a newer version of Fourfold (${head.version}): its form is ${head.format}, and this version knows ${archiveFormat}. Restore it with that version.`,
    );
  const known = new Set(released.map(({ name }) => name));
  const unknown = head.migrations.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new ArchiveRefused(
      `It was made by a newer version of Fourfold (${head.version}): its database knows ${unknown.join(', ')}, and this version does not. Restore it with that version.`,
    );
  return head;
}

function parse<Value>({ name, bytes }: Member, schema: z.ZodType<Value>): Value {
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    throw new ArchiveRefused(`${name} cannot be read.`);
  }
}

function compare(found: readonly MemberFacts[], { members }: ArchiveManifest): void {
  for (const [at, { name, size, sha256 }] of found.entries()) {
    const promised = members[at];
    if (promised?.name !== name) throw new ArchiveRefused(`Its manifest does not name ${name} in its place.`);
    if (promised.size !== size || promised.sha256 !== sha256)
      throw new ArchiveRefused(`${name} was changed: it is not what the manifest says.`);
  }
  if (members.length > found.length) throw new ArchiveRefused(`${members[found.length]?.name} is missing from it.`);
}

/** Checks that the archive has the tables of its version, each with all rows of the manifest. */
function compareRows({ migrations }: ArchiveHead, found: Record<string, number>, { rows }: ArchiveManifest): void {
  const tables = backupRepository.listKeptTables(migrations).map(({ name }) => name);
  const named = [...new Set([...Object.keys(found), ...Object.keys(rows)])];
  const strange = named.filter((name) => !tables.includes(name));
  if (strange.length > 0)
    throw new ArchiveRefused(`It holds the table ${strange[0]}, which its version does not have.`);
  const wrong = tables.find((name) => (found[name] ?? 0) !== rows[name]);
  if (wrong !== undefined) throw new ArchiveRefused(`Not all rows of ${wrong} are there.`);
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
}

export interface Member {
  name: string;
  bytes: Buffer;
}

/**
 * Bytes that are unpacked between two members besides their content: headers, and data read ahead.
 */
const slackBytes = 1_048_576;

/**
 * Yields each member in turn, whole in memory. Checks only the form: known names without
 * duplicates, regular files only, no oversized members.
 * @throws ArchiveRefused, and the errors of reading the file
 */
export async function* readMembers(file: FileHandle): AsyncGenerator<Member> {
  const seal = await readSeal(file);
  const size = (await file.stat()).size - sealLength;
  const tar = extract();
  const budget = new UnpackBudget(size);
  const feeding = unpack(file, { size, seal }, tar, budget);
  const seen = new Set<string>();
  try {
    for await (const entry of tar) {
      budget.beginMember();
      refuseEntry(entry, seen);
      yield { name: entry.header.name, bytes: await readAll(entry) };
    }
  } catch (error) {
    throw toRefusal(error);
  } finally {
    tar.destroy();
    await feeding;
  }
}

/** Reads the seal at the end of the file. @throws ArchiveRefused if there is none */
async function readSeal(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(
    Buffer.alloc(sealLength),
    0,
    sealLength,
    Math.max(0, size - sealLength),
  );
  if (!isSeal(buffer.subarray(0, bytesRead)))
    throw new ArchiveRefused('This is no backup of Fourfold, or its end was cut off or changed.');
  return buffer;
}

interface Sealed {
  /** Bytes before the seal. */
  size: number;
  seal: Buffer;
}

/**
 * Unpacks the file into `tar`. Never rejects: an error destroys `tar`, whose reader then receives
 * it.
 */
async function unpack(file: FileHandle, { size, seal }: Sealed, tar: Extract, budget: UnpackBudget): Promise<void> {
  const hash = startSeal();
  const gunzip = createGunzip();
  try {
    const source = file.createReadStream({ start: 0, end: size - 1, autoClose: false });
    source.on('data', (chunk) => hash.update(chunk));
    await pipeline(source, gunzip, async (chunks) => {
      for await (const chunk of chunks as AsyncIterable<Buffer>) {
        if (tar.destroyed) return;
        budget.spend(chunk.length);
        await write(tar, chunk);
      }
    });
    if (gunzip.bytesWritten !== size) throw new ArchiveRefused('Something follows the end of the archive.');
    if (!makeSeal(hash).equals(seal)) throw new ArchiveRefused('It is damaged: some of it was changed.');
    tar.end();
  } catch (error) {
    tar.destroy(error as Error);
  }
}

/** Resolves when the stream accepts more data, or is closed. */
async function write(tar: Extract, chunk: Buffer): Promise<void> {
  if (tar.write(chunk)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  tar.once('drain', end).once('close', end);
  if (!tar.destroyed) await promise;
  tar.off('drain', end).off('close', end);
}

/** Limits how much may be unpacked, so that a small file cannot expand without end. */
class UnpackBudget {
  private total: number;
  private sinceMember = 0;

  constructor(fileBytes: number) {
    this.total = archiveLimits.freeBytes + fileBytes * archiveLimits.expansion;
  }

  beginMember(): void {
    this.sinceMember = 0;
  }

  /** @throws ArchiveRefused */
  spend(bytes: number): void {
    this.total -= bytes;
    this.sinceMember += bytes;
    if (this.total < 0 || this.sinceMember > archiveLimits.memberBytes + slackBytes)
      throw new ArchiveRefused('It unpacks to far more than a backup holds.');
  }
}

function refuseEntry({ header }: Entry, seen: Set<string>): void {
  const name = JSON.stringify(header.name.slice(0, 80));
  if (header.type !== 'file')
    throw new ArchiveRefused(`It holds a ${header.type}, ${name}: a backup holds files alone.`);
  if (readMemberName(header.name) === null) throw new ArchiveRefused(`It holds ${name}, which no backup has.`);
  if (seen.has(header.name)) throw new ArchiveRefused(`It holds ${name} twice.`);
  if ((header.size ?? 0) > archiveLimits.memberBytes) throw new ArchiveRefused(`${name} is too large for a backup.`);
  seen.add(header.name);
}

async function readAll(entry: Entry): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of entry) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Keeps errors of the disk. Any other error means that the bytes are damaged. */
function toRefusal(error: unknown): unknown {
  if (error instanceof ArchiveRefused) return error;
  if (error instanceof Error && 'syscall' in error) return error;
  return new ArchiveRefused(
    `It is damaged: it was cut off, or some of it was changed (${error instanceof Error ? error.message : String(error)}).`,
  );
}

/**
 * Removes all intact nightly backups but the newest seven. Damaged files, and files that were not
 * made by this server, are neither counted nor removed. Call it only after a new backup, which is
 * never removed: a backup with a later time in its name was made while the clock was fast, and
 * counts as the oldest.
 * @param made the name of the new backup
 * @returns the names of the removed backups
 */
export async function rotateBackups(disk: Disk, folder: string, made: string): Promise<string[]> {
  const newestFirst = (await disk.list(folder)).filter(isNightlyName).sort().reverse();
  const names = [...newestFirst.filter((name) => name <= made), ...newestFirst.filter((name) => name > made)];
  const removed: string[] = [];
  let whole = 0;
  for (const name of names) {
    if (!(await isWhole(join(folder, name)))) continue;
    whole += 1;
    if (whole <= keptBackups) continue;
    await disk.remove(join(folder, name));
    removed.push(name);
  }
  if (removed.length > 0) await disk.syncFolder(folder);
  return removed;
}

async function isWhole(file: string): Promise<boolean> {
  await using handle = await openForReading(Buffer.from(file));
  if (!(await handle.stat()).isFile()) return false;
  try {
    await checkArchive(handle);
    return true;
  } catch (error) {
    if (error instanceof ArchiveRefused) return false;
    throw error;
  }
}

/**
 * Content of a file of DATA_DIR, or null if it does not exist.
 * @throws ArchiveRefused if it is too large
 */
export async function readOperatorFile(dataFolder: string, name: string): Promise<Buffer | null> {
  try {
    // A link may point to the database. Closing that file would drop this process's locks on it, so
    // `openForReading` refuses it.
    await using handle = await openForReading(Buffer.from(join(dataFolder, name)));
    const facts = await handle.stat();
    if (!facts.isFile()) return null;
    if (facts.size > archiveLimits.memberBytes)
      throw new ArchiveRefused(`${name} in DATA_DIR is too large for a backup.`);
    return await handle.readFile();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}
