/** A reply that refused or failed. `message` is the sentence a person may read. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  /** The machine's word for it: the reply's `error` field. */
  readonly code: string | undefined;
  readonly details: unknown;

  constructor(status: number, message: string, code?: string, details?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** No answer of ours arrived: the network is away, the server is, or a captive portal answered in its place. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';

  constructor() {
    super('Waiting for network');
  }
}

/** An abort is not a failure: whoever aborted knows. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
