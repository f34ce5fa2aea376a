const [carriageReturn, lineFeed, dash] = [13, 10, 45];
/** The longest boundary, in characters (RFC 2046). */
const maxBoundary = 70;
/** The most bytes of one part's headers: a file name has about 255 at most. */
const maxHeaders = 16_384;
const maxParts = 1_000;

export interface FormPart {
  /** The name of the form field. */
  name: string;
  /** Null when the part is not a file. */
  filename: string | null;
  /** Its media type; empty when none is given. */
  type: string;
}

/**
 * Reads a multipart form as a stream: memory holds one chunk at a time, while `formData()` collects
 * all files in memory first. The parser accepts only the form that browsers send.
 */
export class MultipartReader {
  private readonly source: ReadableStreamDefaultReader<Uint8Array>;
  /** The bytes that end a part, beginning with a line break. */
  private readonly delimiter: Uint8Array;
  /**
   * The received bytes that are not read yet. The line break at the start lets the first delimiter
   * match like the others.
   */
  private rest: Uint8Array = Uint8Array.of(carriageReturn, lineFeed);
  private parts = 0;
  /** `within`: the bytes of a part come next. */
  private position: 'start' | 'within' | 'between' = 'start';

  /** @throws when the content type is not that of a form, or has no valid boundary */
  constructor(body: ReadableStream<Uint8Array>, contentType: string) {
    const boundary = findBoundary(contentType);
    if (boundary === null) throw malformed();
    this.delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
    this.source = body.getReader();
  }

  /**
   * Moves to the next part, skipping the rest of the one before; null after the last one.
   * @throws when the form is truncated or malformed, or has too many parts
   */
  async next(): Promise<FormPart | null> {
    if (this.position === 'start') await this.openFirst();
    while (this.position === 'within') await this.read();
    if (await this.isLast()) return null;
    this.parts += 1;
    if (this.parts > maxParts) throw malformed();
    const part = parseHeaders(await this.readHeaders());
    if (part === null) throw malformed();
    this.position = 'within';
    return part;
  }

  /** The next bytes of this part; null at its end. @throws when the form is truncated */
  async read(): Promise<Uint8Array | null> {
    const { delimiter } = this;
    while (this.position === 'within') {
      const at = indexOf(this.rest, delimiter);
      if (at === 0) {
        this.skip(delimiter.length);
        this.position = 'between';
        break;
      }
      // The last bytes may be the beginning of a delimiter.
      const end = at === -1 ? this.rest.length - delimiter.length + 1 : at;
      if (end > 0) return this.skip(end);
      await this.fill();
    }
    return null;
  }

  /** Cancels the stream of a form that is not read to its end. */
  async cancel(): Promise<void> {
    await this.source.cancel().catch(() => {}); // it may have failed by itself
  }

  private async openFirst(): Promise<void> {
    await this.need(this.delimiter.length);
    if (indexOf(this.rest, this.delimiter) !== 0) throw malformed();
    this.skip(this.delimiter.length);
    this.position = 'between';
  }

  /** Two dashes follow the delimiter after the last part, a line break follows the others. */
  private async isLast(): Promise<boolean> {
    await this.need(2);
    const [first, second] = this.rest;
    if (first === dash && second === dash) return true;
    if (first !== carriageReturn || second !== lineFeed) throw malformed();
    this.skip(2);
    return false;
  }

  private async readHeaders(): Promise<string> {
    for (;;) {
      const end = indexOf(this.rest, endOfHeaders);
      if (end > maxHeaders || (end === -1 && this.rest.length > maxHeaders)) throw malformed();
      if (end === -1) {
        await this.fill();
        continue;
      }
      const headers = this.skip(end);
      this.skip(endOfHeaders.length);
      return new TextDecoder().decode(headers);
    }
  }

  private async need(bytes: number): Promise<void> {
    while (this.rest.length < bytes) await this.fill();
  }

  private async fill(): Promise<void> {
    const { value, done } = await this.source.read();
    if (done) throw malformed();
    const joined = new Uint8Array(this.rest.length + value.length);
    joined.set(this.rest);
    joined.set(value, this.rest.length);
    this.rest = joined;
  }

  /** @returns the skipped bytes */
  private skip(bytes: number): Uint8Array {
    const skipped = this.rest.subarray(0, bytes);
    this.rest = this.rest.subarray(bytes);
    return skipped;
  }
}

const endOfHeaders = Uint8Array.of(carriageReturn, lineFeed, carriageReturn, lineFeed);

function findBoundary(contentType: string): string | null {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;\s*boundary=(?:"([ -~]+)"|([!#-~]+))\s*$/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  return boundary !== undefined && boundary.length <= maxBoundary ? boundary : null;
}

/** The first index of `wanted`, which begins with a carriage return; -1 when it is absent. */
function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  for (let at = bytes.indexOf(carriageReturn); at !== -1; at = bytes.indexOf(carriageReturn, at + 1)) {
    if (at + wanted.length > bytes.length) return -1;
    if (wanted.every((byte, offset) => bytes[at + offset] === byte)) return at;
  }
  return -1;
}

/** Null when the headers are not those of a form part. */
function parseHeaders(text: string): FormPart | null {
  const values = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) values.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const disposition = values.get('content-disposition') ?? '';
  if (!/^form-data\s*;/i.test(disposition)) return null;
  const name = findParameter(disposition, 'name');
  if (name === null) return null;
  return { name, filename: findParameter(disposition, 'filename'), type: values.get('content-type') ?? '' };
}

/** Browsers escape quotes and line breaks in a name as these three. */
const escapes: Record<string, string> = { '%22': '"', '%0D': '\r', '%0A': '\n' };

function findParameter(disposition: string, wanted: 'name' | 'filename'): string | null {
  const [, value = null] = new RegExp(`;\\s*${wanted}="([^"]*)"`, 'i').exec(disposition) ?? [];
  return value === null ? null : value.replace(/%22|%0D|%0A/gi, (text) => escapes[text.toUpperCase()] ?? text);
}

function malformed(): Error {
  return new Error('The form is cut off, or none');
}
