import type { UploadRow } from '#app/state/uploads/uploads-state.ts';
import { percentOf } from './upload-figures.ts';

type Row = Readonly<Pick<UploadRow, 'status' | 'size' | 'acknowledgedBytes'>>;

export interface UploadSummary {
  total: number;
  completed: number;
  failed: number;
  /** Wait for the button. */
  ready: number;
  /** Of all bytes, whole percent. */
  percent: number;
  /** Some file is being sent. */
  isMoving: boolean;
  /** Some file is being sent, or goes on without anybody's doing. */
  isRunning: boolean;
  hasPaused: boolean;
}

const goesOn: readonly string[] = ['turn', 'network', 'wifi', 'retry', 'other-tab'];

export function summaryOf(rows: readonly Row[]): UploadSummary {
  const count = (isMeant: (row: Row) => boolean) => rows.filter(isMeant).length;
  const isMoving = rows.some(({ status }) => status.kind === 'uploading');
  return {
    total: rows.length,
    completed: count(({ status }) => status.kind === 'completed'),
    failed: count(({ status }) => status.kind === 'failed'),
    ready: count((row) => waitsFor(row, 'start')),
    percent: percentOf(sumOf(rows.map(sentBytes)), sumOf(rows.map(({ size }) => size))),
    isMoving,
    isRunning: isMoving || rows.some(runs),
    hasPaused: rows.some((row) => waitsFor(row, 'paused')),
  };
}

function runs({ status }: Row): boolean {
  return status.kind === 'sent' || (status.kind === 'waiting' && goesOn.includes(status.reason));
}

function waitsFor({ status }: Row, reason: string): boolean {
  return status.kind === 'waiting' && status.reason === reason;
}

/** Of a completed file the server has all, whatever was confirmed last; of a failed one nothing that is of use. */
function sentBytes({ status, size, acknowledgedBytes }: Row): number {
  if (status.kind === 'failed') return 0;
  return status.kind === 'completed' ? size : acknowledgedBytes;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
