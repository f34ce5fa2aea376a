import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { z } from 'zod';
import { migrations as released } from '../../database/migrations.ts';
import type { ArchiveHead, ArchiveManifest, MemberFacts } from './archive-format.ts';
import { ArchiveRefused, archiveFormat, headSchema, manifestSchema, readMemberName } from './archive-format.ts';
import type { Member } from './archive-reader.ts';
import { readMembers } from './archive-reader.ts';
import { listKeptTables } from './backup-tables.ts';

/** An archive of which every byte is as it was written. */
export interface CheckedArchive {
  head: ArchiveHead;
  manifest: ArchiveManifest;
}

/**
 * Reads all of it and compares it with its manifest; writes nothing.
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

/** Whether a file begins as an archive of any version does. */
export async function isArchive(file: FileHandle): Promise<boolean> {
  if (!(await file.stat()).isFile()) return false;
  try {
    for await (const { name } of readMembers(file)) return readMemberName(name) === 'head';
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error;
  }
  return false;
}

export function describeMember({ name, bytes }: Member): MemberFacts {
  return { name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** @throws ArchiveRefused with what is newer */
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

/** Its tables are those of its version, each with as many rows as were written. */
function compareRows({ migrations }: ArchiveHead, found: Record<string, number>, { rows }: ArchiveManifest): void {
  const tables = listKeptTables(migrations).map(({ name }) => name);
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
