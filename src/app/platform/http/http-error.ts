/** A failed reply. `message` can be shown to people. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  /** The reply's `error` field. */
  readonly code: string | undefined;
  readonly details: unknown;

  constructor(status: number, message: string, code?: string, details?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** No answer of our server: it or the network is down, or a captive portal answered in its place. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';

  constructor() {
    super('Waiting for network');
  }
}

/** An abort is not reported as a failure: its caller caused it. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
