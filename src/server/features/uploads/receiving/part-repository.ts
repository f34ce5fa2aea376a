import { inListLength } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';

/** A part that the store has taken. */
export interface StoredPart {
  /** From 1. */
  number: number;
  etag: string;
  /** SHA-256, in hexadecimal. */
  sum: string;
  bytes: number;
}

/** An object with bytes behind the parts, fewer than a part in all. */
export interface StoredTail {
  name: string;
  bytes: number;
}

/** The bytes that a store holds of a file while it is received. */
export interface PartsOfFile {
  /** The store's name for the parts; null before the first one. */
  multipart: string | null;
  /** They are in the order of their bytes. */
  tails: StoredTail[];
  /** The bytes of the parts and the tails. */
  durable: number;
  /** They are in the order of their numbers. */
  parts: StoredPart[];
}

const nothing = { multipart: null, tails: null };

/** Parts of uploads that a store has taken. */
export const partRepository = {
  /** Null for an unknown file. */
  async find(executor: Executor, fileId: string): Promise<PartsOfFile | null> {
    const file = await executor
      .selectFrom('upload_files')
      .select(['multipart', 'tails', 'durable'])
      .where('id', '=', fileId)
      .executeTakeFirst();
    if (file === undefined) return null;
    const parts = await executor
      .selectFrom('upload_parts')
      .select(['number', 'etag', 'sum', 'bytes'])
      .where('file_id', '=', fileId)
      .orderBy('number')
      .execute();
    return { ...file, tails: parseTails(file.tails), parts };
  },

  async setMultipart(transaction: Executor, fileId: string, multipart: string): Promise<void> {
    await transaction.updateTable('upload_files').set({ multipart }).where('id', '=', fileId).execute();
  },

  /** @param tails replace the present ones */
  async add(
    transaction: Executor,
    fileId: string,
    parts: readonly StoredPart[],
    tails: readonly StoredTail[],
  ): Promise<void> {
    if (parts.length > 0)
      await transaction
        .insertInto('upload_parts')
        .values(parts.map((part) => ({ file_id: fileId, ...part })))
        .execute();
    await transaction
      .updateTable('upload_files')
      .set({ tails: tails.length === 0 ? null : JSON.stringify(tails) })
      .where('id', '=', fileId)
      .execute();
  },

  /** Forgets everything that the store holds of a file. */
  async forget(transaction: Executor, fileId: string): Promise<void> {
    await transaction.deleteFrom('upload_parts').where('file_id', '=', fileId).execute();
    await transaction
      .updateTable('upload_files')
      .set({ ...nothing, durable: 0 })
      .where('id', '=', fileId)
      .execute();
  },

  /** Finds those of at most `inListLength` files that are being received. */
  async findReceiving(
    executor: Executor,
    ids: readonly string[],
  ): Promise<Map<string, Pick<PartsOfFile, 'multipart' | 'tails'>>> {
    if (ids.length === 0) return new Map();
    const rows = await executor
      .selectFrom('upload_files')
      .select(['id', 'multipart', 'tails'])
      .where('id', 'in', ids)
      .where('state', '=', 'receiving')
      .execute();
    return new Map(rows.map(({ id, multipart, tails }) => [id, { multipart, tails: parseTails(tails) }]));
  },

  /** Deletes parts of files that are not being received any more. @returns their number, at most a list */
  async deleteEnded(transaction: Executor): Promise<number> {
    const ended = await transaction
      .selectFrom('upload_parts')
      .innerJoin('upload_files', 'upload_files.id', 'upload_parts.file_id')
      .select('file_id')
      .distinct()
      .where('state', '!=', 'receiving')
      .limit(inListLength)
      .execute();
    const ids = ended.map(({ file_id }) => file_id);
    if (ids.length > 0) await transaction.deleteFrom('upload_parts').where('file_id', 'in', ids).execute();
    return ids.length;
  },
};

function parseTails(tails: string | null): StoredTail[] {
  return tails === null ? [] : (JSON.parse(tails) as StoredTail[]);
}
