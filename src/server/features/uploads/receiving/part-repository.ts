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

/** What a store holds of a file that is being received. */
export interface PartsOfFile {
  /** The store's name for the parts; null before the first one. */
  multipart: string | null;
  /** The name of the object with the bytes behind the parts; null if there are none. */
  tail: string | null;
  /** The bytes of the parts and the tail. */
  durable: number;
  /** By their number. */
  parts: StoredPart[];
}

const nothing = { multipart: null, tail: null };

/** Parts of uploads that a store has taken. */
export const partRepository = {
  /** Null for an unknown file. */
  async find(executor: Executor, fileId: string): Promise<PartsOfFile | null> {
    const file = await executor
      .selectFrom('upload_files')
      .select(['multipart', 'tail', 'durable'])
      .where('id', '=', fileId)
      .executeTakeFirst();
    if (file === undefined) return null;
    const parts = await executor
      .selectFrom('upload_parts')
      .select(['number', 'etag', 'sum', 'bytes'])
      .where('file_id', '=', fileId)
      .orderBy('number')
      .execute();
    return { ...file, parts };
  },

  async setMultipart(transaction: Executor, fileId: string, multipart: string): Promise<void> {
    await transaction.updateTable('upload_files').set({ multipart }).where('id', '=', fileId).execute();
  },

  /** @param tail replaces the present one */
  async add(transaction: Executor, fileId: string, parts: readonly StoredPart[], tail: string | null): Promise<void> {
    if (parts.length > 0)
      await transaction
        .insertInto('upload_parts')
        .values(parts.map((part) => ({ file_id: fileId, ...part })))
        .execute();
    await transaction.updateTable('upload_files').set({ tail }).where('id', '=', fileId).execute();
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

  /** Those of at most `inListLength` files that are being received. */
  async findReceiving(
    executor: Executor,
    ids: readonly string[],
  ): Promise<Map<string, Pick<PartsOfFile, 'multipart' | 'tail'>>> {
    if (ids.length === 0) return new Map();
    const rows = await executor
      .selectFrom('upload_files')
      .select(['id', 'multipart', 'tail'])
      .where('id', 'in', ids)
      .where('state', '=', 'receiving')
      .execute();
    return new Map(rows.map(({ id, ...file }) => [id, file]));
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
