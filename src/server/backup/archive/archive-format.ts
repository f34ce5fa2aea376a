import { z } from 'zod';

/**
 * An archive is a tar file in gzip. Its members, in this order: `backup.json` (what it is), `tables/<table>/<part>.jsonl`
 * (rows, one a line), `files/<name>` (of DATA_DIR), `manifest.json` (size and SHA-256 of each member before it).
 */
export const archiveFormat = 1;
export const headName = 'backup.json';
export const manifestName = 'manifest.json';

/** Files of DATA_DIR that go in where they are there. Nothing else is ever written there from an archive. */
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
  /** A part of a table ends with the row that reaches this. */
  partBytes: 1_048_576,
  /** Of any member: the manifest of 10 million videos takes 2 MiB. */
  memberBytes: 32 * 1_048_576,
  /** Beyond the first `freeBytes`, what is unpacked may be this many times as long as the file; rows reach 25. */
  expansion: 100,
  freeBytes: 64 * 1_048_576,
};

/** What an archive is refused with: a sentence for whoever wants to restore it. */
export class ArchiveRefused extends Error {}

const countSchema = z.int().nonnegative();
/** Row numbers have 32 bits in PostgreSQL, and in the sets; a table goes on from its last one. */
const lastNumberSchema = countSchema.max(2_000_000_000);

export const headSchema = z.object({
  product: z.literal('fourfold'),
  format: z.int().positive(),
  /** Of the product. */
  version: z.string(),
  created_at: z.iso.datetime(),
  database: z.enum(['sqlite', 'postgres']),
  /** Names of those that were applied: the version of the schema. */
  migrations: z.array(z.string()).min(1),
  /** The last number that each table has given out, so that none comes back. */
  last_numbers: z.record(z.string(), lastNumberSchema),
});
export type ArchiveHead = z.infer<typeof headSchema>;

const memberFactsSchema = z.strictObject({ name: z.string(), size: countSchema, sha256: z.hex().length(64) });
export type MemberFacts = z.infer<typeof memberFactsSchema>;

export const manifestSchema = z.strictObject({
  members: z.array(memberFactsSchema),
  /** Rows of each table. */
  rows: z.record(z.string(), countSchema),
});
export type ArchiveManifest = z.infer<typeof manifestSchema>;

export function partName(table: string, part: number): string {
  return `tables/${table}/${String(part).padStart(5, '0')}.jsonl`;
}

/** What a member of an archive is; null for a name that none has. */
export function readMemberName(name: string): { table: string } | { file: string } | 'head' | 'manifest' | null {
  if (name === headName) return 'head';
  if (name === manifestName) return 'manifest';
  const [, table] = /^tables\/([a-z_]{1,40})\/\d{5,7}\.jsonl$/.exec(name) ?? [];
  if (table !== undefined) return { table };
  const file = operatorFiles.find((known) => name === `files/${known}`);
  return file === undefined ? null : { file };
}
