import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { uploadSessionRepository } from '#server/features/uploads/session-repository.ts';
import { commitNew } from '#server/features/uploads/stored/intake.ts';
import { storedName } from '#server/features/uploads/upload-file.ts';
import { readFile } from '#server/media/file-reading.ts';
import { fileVersionOf } from '#server/storage/open-for-reading.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { videoBytes } from './uploads.ts';

export interface StoredUpload {
  /** Of the file, by which its owner knows it. */
  id: string;
  sessionId: string;
  /** Absolute. */
  file: string;
}

interface UploadFacts {
  filename?: string;
  bytes?: Buffer;
  tagIds?: readonly string[];
  needsApproval?: boolean;
}

let made = 0;

/** A session with one file of which nothing has come. */
export async function openUpload(
  { services }: ServerUnderTest,
  userId: string,
  { filename = 'a film.mp4', bytes = Buffer.alloc(0), tagIds = [], needsApproval = false }: UploadFacts = {},
): Promise<StoredUpload> {
  const { database, ids, clock, folders } = services;
  const [sessionId, id, now] = [ids.long(), ids.long(), clock.now()];
  await database.write((transaction) =>
    uploadSessionRepository.insert(
      transaction,
      {
        id: sessionId,
        user_id: userId,
        key_hash: '',
        state: 'open',
        tag_ids: JSON.stringify(tagIds),
        needs_approval: needsApproval ? 1 : 0,
        created_at: now,
        active_at: now,
      },
      [{ id, position: 0, address: ids.secret(), filename, mime_type: 'video/mp4', size: bytes.length }],
    ),
  );
  return { id, sessionId, file: join(folders.uploads, storedName({ id, filename })) };
}

/** A film that nobody else has. */
export function uniqueFilm(): Buffer {
  made += 1;
  // A box of a type that no reader knows: it is passed over.
  const box = Buffer.alloc(16);
  box.writeUInt32BE(16, 0);
  box.write('uniq', 4, 'latin1');
  box.writeUInt32BE(made, 8);
  return Buffer.concat([videoBytes(), box]);
}

/** A video that somebody has sent, without the sending. */
export async function storeUpload(
  server: ServerUnderTest,
  userId: string,
  { bytes = uniqueFilm(), ...facts }: UploadFacts = {},
): Promise<StoredUpload> {
  const { uploads, database, clock } = server.services;
  const upload = await openUpload(server, userId, { bytes, ...facts });
  mkdirSync(dirname(upload.file), { recursive: true });
  writeFileSync(upload.file, bytes);
  const session = await uploadSessionRepository.find(database.reader, upload.sessionId, clock.now());
  const [file] = await uploadSessionRepository.listFiles(database.reader, upload.sessionId);
  if (session === null || file === undefined) throw new Error('There is no such session.');
  const version = fileVersionOf(statSync(upload.file, { bigint: true }));
  const whole = { reading: readFile(upload.file), partsSum: null };
  await commitNew(uploads, session, { file, whole }, { version, compared: [] });
  await database.write((transaction) =>
    transaction.updateTable('upload_sessions').set({ state: 'completed' }).where('id', '=', session.id).execute(),
  );
  return upload;
}
