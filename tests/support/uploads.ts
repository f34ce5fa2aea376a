import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { UploadSession } from '#contract/entities/upload.ts';
import { uploadSessionSchema } from '#contract/entities/upload.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import type { Person } from './people.ts';
import { putPerson } from './people.ts';
import type { ServerUnderTest } from './server-under-test.ts';

export const tus = { 'tus-resumable': '1.0.0' };
const patchType = 'application/offset+octet-stream';

/** The bytes of a video of the fixtures. */
export function videoBytes(name = 'brief-000'): Buffer {
  return readFileSync(fileURLToPath(new URL(`../fixtures/videos/${name}.mp4`, import.meta.url)));
}

/** Somebody who has accepted the agreement. */
export async function putUploader(server: ServerUnderTest, username: string, tier: Tier = 'basic'): Promise<Person> {
  const person = await putPerson(server, username, tier);
  await server.call('POST', '/api/users/eula/accept', { headers: person.headers, payload: {} });
  return person;
}

/** A video of this many bytes, which no other one has; readers skip the box behind its head. */
export function filmOf(bytes: number, head = videoBytes()): Buffer {
  const box = randomBytes(bytes - head.length);
  box.writeUInt32BE(box.length, 0);
  box.write('free', 4, 'latin1');
  return Buffer.concat([head, box]);
}

export interface WantedFile {
  filename?: string;
  file_size?: number;
}

export function initiate(
  server: ServerUnderTest,
  { headers }: Pick<Person, 'headers'>,
  files: readonly WantedFile[] = [{}],
  more: object = {},
): Promise<LightMyRequestResponse> {
  const payload = { files: files.map((file) => ({ filename: 'a film.mp4', file_size: 1_000, ...file })), ...more };
  return server.call('POST', '/api/upload/initiate', { headers, payload });
}

/** A session with what its client sends to it. */
export class SentUpload {
  readonly session: UploadSession;
  private readonly server: ServerUnderTest;

  constructor(server: ServerUnderTest, session: UploadSession) {
    this.server = server;
    this.session = session;
  }

  static async start(
    server: ServerUnderTest,
    person: Person,
    files: readonly WantedFile[] = [{}],
    more: object = {},
  ): Promise<SentUpload> {
    return new SentUpload(server, uploadSessionSchema.parse((await initiate(server, person, files, more)).json()));
  }

  get id(): string {
    return this.session.session_id;
  }

  get key(): { accesskey: string } {
    return { accesskey: this.session.bunny_access_key };
  }

  addressOf(file = 0): string {
    return this.session.files[file]?.address ?? '';
  }

  send(
    method: InjectOptions['method'],
    { headers = {}, payload, file = 0 }: { headers?: Record<string, string>; payload?: Buffer; file?: number } = {},
  ): Promise<LightMyRequestResponse> {
    return this.server.call(method, this.addressOf(file), { headers: { ...this.key, ...headers }, payload });
  }

  put(payload: Buffer, file = 0): Promise<LightMyRequestResponse> {
    return this.send('PUT', { payload, file, headers: { 'content-type': 'video/mp4' } });
  }

  patch(
    offset: number | string,
    payload: Buffer,
    headers: Record<string, string> = {},
  ): Promise<LightMyRequestResponse> {
    return this.send('PATCH', {
      payload,
      headers: { ...tus, 'content-type': patchType, 'upload-offset': String(offset), ...headers },
    });
  }

  /** The offset that the server tells. */
  async offset(file = 0): Promise<number> {
    return Number((await this.send('HEAD', { headers: tus, file })).headers['upload-offset']);
  }

  /** What lies on the disk of a file that is still coming; null without any. */
  async storedBytes(file = 0): Promise<Buffer | null> {
    const { folders } = this.server.services;
    return readFile(join(folders.uploads, 'parts', this.session.files[file]?.id ?? '')).catch(() => null);
  }

  complete(person: Person | null, body: object = {}): Promise<LightMyRequestResponse> {
    const headers = person === null ? this.key : person.headers;
    return this.server.call('POST', `/api/upload/complete/${this.id}`, {
      headers,
      payload: { session_id: this.id, files: [], ...body },
    });
  }
}
