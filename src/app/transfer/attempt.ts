import type { UploadBytes } from '#device/uploads/upload-bytes.ts';

export interface AttemptPlan {
  source: UploadBytes;
  address: string;
  /** `AccessKey`. */
  key: string;
  /** Media type; empty for none. */
  type: string;
  /** No request carries more, where parts can be sent. */
  maxPartBytes: number;
}

/** Positions in the file. */
export interface AttemptEvents {
  /** Up to here bytes have left this device. */
  onSent(bytes: number): void;
  /** Up to here the server has confirmed them. */
  onAcknowledged(bytes: number): void;
}

export type AttemptEnd =
  | { kind: 'sent' }
  /** The server has refused it, or could not do it. `retryAfterMs`: the wait that it asks for. */
  | { kind: 'answered'; status: number; statusText: string; retryAfterMs: number | null }
  /** No answer of the server: the network, or a captive portal in its place. */
  | { kind: 'unanswered' }
  /** This device can read the file no more. */
  | { kind: 'unreadable' }
  | { kind: 'aborted' };

/** One try to send a file, from what the server has of it. */
export interface Attempt {
  run(): Promise<AttemptEnd>;
  abort(): void;
}
