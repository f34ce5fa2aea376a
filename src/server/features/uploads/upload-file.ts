import type { Selectable } from 'kysely';
import { extensionOf } from '#contract/rules/upload-file.ts';
import type { Tables } from '../../database/tables.ts';
import { contentTypes } from '../../media/containers/container-sniff.ts';

/** One file of a session, as the server models it. */
export interface UploadFile {
  id: string;
  sessionId: string;
  /** Null once the account is gone. */
  userId: string | null;
  address: string;
  filename: string;
  /** The declared size in bytes. */
  size: number;
  state: Tables['upload_files']['state'];
  /** The sender has reported it as failed, and no bytes have arrived since. */
  isGivenUp: boolean;
  received: number;
  /** Bytes a second. */
  speed: number;
  error: string | null;
  videoNumber: number | null;
  createdAt: number;
  completedAt: number | null;
}

export interface StoredUploadSession {
  id: string;
  userId: string | null;
  /** Whether the owner is an administrator now; false once the account is gone. */
  isOwnerAdmin: boolean;
  keyHash: string;
  state: Tables['upload_sessions']['state'];
  tagIds: string[];
  needsApproval: boolean;
  /** Epoch milliseconds. */
  activeAt: number;
}

/** A session ends after this time without enough bytes. */
export const idleHours = 24;

/** Epoch milliseconds. */
export function expiryOf({ activeAt }: Pick<StoredUploadSession, 'activeAt'>): number {
  return activeAt + idleHours * 3_600_000;
}

export function toUploadFile(row: Selectable<Tables['upload_files']>): UploadFile {
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

/** The name of the file while it is being received. */
export function partName({ id }: Pick<UploadFile, 'id'>): string {
  return `${partsFolder}/${id}`;
}

/** The media type that the extension of an upload promises. */
export function typeOfUpload(name: string): string {
  return typesByExtension[extensionOf(name)] ?? 'application/octet-stream';
}

const typesByExtension: Readonly<Record<string, string>> = {
  '.mp4': contentTypes.mp4,
  '.m4v': contentTypes.mp4,
  '.mov': contentTypes.mov,
  '.webm': contentTypes.webm,
  '.mkv': contentTypes.matroska,
  '.avi': contentTypes.avi,
  '.wmv': contentTypes.asf,
  '.flv': contentTypes.flv,
};

export const partsFolder = 'parts';
export const videosFolder = 'videos';

/** The path of its video below the root of uploads: random, and always the same for one file. */
export function videoPath({ id, filename }: Pick<UploadFile, 'id' | 'filename'>): string {
  return `${id.slice(-2)}/${id}${extensionOf(filename)}`;
}

const pathShape = /^[0-9a-f]{2}\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[a-z0-9]+$/;

/** Whether `videoPath` gives such a path. Files with other names are left alone. */
export function isUploadedPath(path: string): boolean {
  return pathShape.test(path);
}

/** The id of the uploaded file that became the video at this path. */
export function fileIdOf(path: string): string {
  return path.slice(path.indexOf('/') + 1, path.lastIndexOf('.'));
}

/** The name of the file once it is stored. */
export function storedName(file: Pick<UploadFile, 'id' | 'filename'>): string {
  return `${videosFolder}/${videoPath(file)}`;
}

/** Shown to the owner when bytes of the file are missing. */
export const notArrived = 'This file has not fully arrived.';

/** The prefix of upload addresses. */
export const uploadAddressPrefix = '/api/upload/address/';
