import { useSyncExternalStore } from 'react';
import type { Snapshot } from 'valtio';
import { snapshot, subscribe } from 'valtio/vanilla';
import type { UploadRow } from '#app/state/uploads/uploads-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { sizeText } from '#app/ui/texts.ts';

type Derived = string | number | boolean | null;

/** A value derived from all uploads: the component is drawn again only when it changes. */
export function useUploads<Value extends Derived>(derive: (state: Snapshot<typeof uploads>) => Value): Value {
  return useSyncExternalStore(subscribeUploads, () => derive(snapshot(uploads)));
}

/** Reads the summary of all uploads: the component is drawn again only when the value changes. */
export function useSummary<Value extends Derived | UploadSummary>(read: (summary: UploadSummary) => Value): Value {
  return useSyncExternalStore(subscribeUploads, () => read(currentSummary()));
}

function subscribeUploads(onChange: () => void): () => void {
  return subscribe(uploads, onChange);
}

/** The key is the rows of a snapshot, which never change. */
const summaries = new WeakMap<readonly Row[], UploadSummary>();

/** The summary of all uploads. It is computed once for each change of the rows. */
export function currentSummary(): UploadSummary {
  const { rows } = snapshot(uploads);
  const summary = summaries.get(rows) ?? summaryOf(rows);
  summaries.set(rows, summary);
  return summary;
}

type Row = Readonly<Pick<UploadRow, 'status' | 'size' | 'acknowledgedBytes'>>;

interface UploadSummary {
  total: number;
  completed: number;
  failed: number;
  /** The number of files that wait for the button. */
  ready: number;
  /** The progress of all bytes in whole percent. */
  percent: number;
  /** Whether any file is being sent. */
  isMoving: boolean;
  /** Whether any file is being sent, or continues without any action of the user. */
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

/**
 * The bytes that count as sent: all of a completed file, whatever was confirmed last, and none of a
 * failed one.
 */
function sentBytes({ status, size, acknowledgedBytes }: Row): number {
  if (status.kind === 'failed') return 0;
  return status.kind === 'completed' ? size : acknowledgedBytes;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

/** A speed as '8.4 MB/s'. */
export function speedText(bytesPerSecond: number): string {
  return `${sizeText(bytesPerSecond)}/s`;
}

/** The time left: '22 s left', '1 min 22 s left', '2 h 5 min left'. */
export function leftText(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 60) return `${whole} s left`;
  if (whole < 3600) return `${joinParts(Math.floor(whole / 60), 'min', whole % 60, 's')} left`;
  return `${joinParts(Math.floor(whole / 3600), 'h', Math.floor((whole % 3600) / 60), 'min')} left`;
}

function joinParts(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
}

/** Whole percent, rounded down: 100 only when no byte is missing. */
export function percentOf(bytes: number, size: number): number {
  return size === 0 ? 0 : Math.floor((bytes / size) * 100);
}
