import { createHash, timingSafeEqual } from 'node:crypto';
import type { Selectable } from 'kysely';
import { extensionOf } from '#contract/rules/upload-file.ts';
import type { UploadFilesTable, UploadSessionsTable } from '../../database/tables/upload-tables.ts';

/** One file of a session, as the server thinks of it. */
export interface UploadFile {
  id: string;
  sessionId: string;
  /** Null once the account is gone. */
  userId: string | null;
  address: string;
  filename: string;
  /** Bytes, as declared. */
  size: number;
  state: UploadFilesTable['state'];
  /** Its sender reported it as failed, and its bytes have not gone on since. */
  isGivenUp: boolean;
  received: number;
  /** Bytes a second. */
  speed: number;
  error: string | null;
  videoNumber: number | null;
  createdAt: number;
  completedAt: number | null;
}

export interface UploadSession {
  id: string;
  userId: string | null;
  /** Whether the owner is an administrator now; false once the account is gone. */
  isOwnerAdmin: boolean;
  keyHash: string;
  state: UploadSessionsTable['state'];
  tagIds: string[];
  needsApproval: boolean;
  /** Epoch milliseconds. */
  activeAt: number;
}

/** A session that does not get enough for so long is over. */
export const idleHours = 24;

const mostForLife = 16 * 1024 * 1024;

/** Bytes that keep a session alive: a hundredth of what it declared, and never more than 16 MiB. */
export function enoughForLife(declaredBytes: number): number {
  return Math.min(mostForLife, Math.ceil(declaredBytes / 100));
}

/** Epoch milliseconds. */
export function expiryOf({ activeAt }: Pick<UploadSession, 'activeAt'>): number {
  return activeAt + idleHours * 3_600_000;
}

export function toUploadFile(row: Selectable<UploadFilesTable>): UploadFile {
  return {
    id: row.id,
    sessionId: row.session_id,
    userId: row.user_id,
    address: row.address,
    filename: row.filename,
    size: row.size,
    state: row.state,
    isGivenUp: row.state === 'receiving' && row.given_up === 1,
    received: row.received,
    speed: row.speed,
    error: row.error,
    videoNumber: row.video_number,
    createdAt: row.created_at,
    completedAt: row.completed_at,
  };
}

export function toUploadSession(row: Selectable<UploadSessionsTable>, isOwnerAdmin: boolean): UploadSession {
  return {
    id: row.id,
    userId: row.user_id,
    isOwnerAdmin,
    keyHash: row.key_hash,
    state: row.state,
    tagIds: JSON.parse(row.tag_ids) as string[],
    needsApproval: row.needs_approval === 1,
    activeAt: row.active_at,
  };
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

/** The hash of a session that no key opens: its owner's sessions have ended (`deleteSessionsOf`). */
const voidKeyHash = '';

export function isKeyOf({ keyHash }: Pick<UploadSession, 'keyHash'>, key: string): boolean {
  return keyHash !== voidKeyHash && timingSafeEqual(Buffer.from(hashKey(key)), Buffer.from(keyHash));
}

/** Its bytes while they come. */
export function partName({ id }: Pick<UploadFile, 'id'>): string {
  return `${partsFolder}/${id}`;
}

export const partsFolder = 'parts';
export const videosFolder = 'videos';

/** The path of its video below the root of uploads: random, and the same however often it is made. */
export function videoPath({ id, filename }: Pick<UploadFile, 'id' | 'filename'>): string {
  return `${id.slice(-2)}/${id}${extensionOf(filename)}`;
}

/** Of the file that a video of the root of uploads came as. */
export function fileIdOf(path: string): string {
  return path.slice(path.indexOf('/') + 1, path.lastIndexOf('.'));
}

/** Its bytes once they have come. */
export function storedName(file: Pick<UploadFile, 'id' | 'filename'>): string {
  return `${videosFolder}/${videoPath(file)}`;
}

/** For its owner, where a video that came of an upload is not there any more. */
export const videoRemoved = 'This video has been removed.';

/** For its owner, where some of its bytes are missing. */
export const notArrived = 'This file has not fully arrived.';

/** What upload addresses begin with. */
export const uploadAddressPrefix = '/api/upload/address/';
