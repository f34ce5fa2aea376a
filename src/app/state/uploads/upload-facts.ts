import type { UploadRow } from './uploads-state.ts';

type Row = Readonly<Pick<UploadRow, 'status' | 'resumesByItself'>>;

/** It is being sent, or is about to be without anybody's doing. */
export function isMoving({ status }: Pick<Row, 'status'>): boolean {
  return status.kind === 'uploading' || waitsFor(status, 'turn') || waitsFor(status, 'retry');
}

/** It is moving, and would have to be chosen again if the page ended now: what closing warns of (§4 Upload). */
export function isAtRisk(row: Row): boolean {
  return isMoving(row) && !row.resumesByItself;
}

/** It is neither a video yet, nor has it failed. */
export function isUnfinished({ status }: Pick<Row, 'status'>): boolean {
  return status.kind !== 'completed' && status.kind !== 'failed';
}

/** The server does not have all of it, or not all of its batch. */
export function needsDevice({ status }: Pick<Row, 'status'>): boolean {
  return status.kind === 'waiting' || status.kind === 'uploading' || status.kind === 'sent';
}

export function waitsFor(status: Row['status'], ...reasons: string[]): boolean {
  return status.kind === 'waiting' && reasons.includes(status.reason);
}
