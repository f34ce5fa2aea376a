import { limits } from '#contract/limits.ts';
import type { QueuedUpload } from './queued-upload.ts';
import type { UploadPieces } from './upload-pieces.ts';

/** The bytes of a file that is to be sent, wherever they are. */
export interface UploadBytes {
  readonly size: number;
  /** From `start` up to `end`, which is beyond the last one. @throws where they cannot be read any more */
  slice(start: number, end: number): Promise<Blob>;
}

/** A file that the browser reads itself. */
export class FileBytes implements UploadBytes {
  readonly size: number;
  private readonly file: Blob;

  constructor(file: Blob) {
    this.file = file;
    this.size = file.size;
  }

  async slice(start: number, end: number): Promise<Blob> {
    return this.file.slice(start, end);
  }
}

/**
 * Our copy of a file. The browser holds what a slice consists of outside of the script's memory, and on the disk where
 * it is much: who can, asks for parts.
 */
export class StagedBytes implements UploadBytes {
  readonly size: number;
  private readonly id: string;
  private readonly pieces: UploadPieces;

  constructor({ id, size }: Pick<QueuedUpload, 'id' | 'size'>, pieces: UploadPieces) {
    this.id = id;
    this.size = size;
    this.pieces = pieces;
  }

  async slice(start: number, end: number): Promise<Blob> {
    const parts: Blob[] = [];
    const last = Math.min(end, this.size);
    for (let at = start; at < last; ) {
      const piece = await this.readPiece(Math.floor(at / limits.stagedPieceBytes));
      const offset = at % limits.stagedPieceBytes;
      const part = piece.slice(offset, offset + last - at);
      parts.push(part);
      at += part.size;
    }
    return new Blob(parts);
  }

  /** @throws where it is not there, or not as long as it was */
  private async readPiece(index: number): Promise<Blob> {
    const bytes = await this.pieces.read(this.id, index);
    const length = Math.min(limits.stagedPieceBytes, this.size - index * limits.stagedPieceBytes);
    if (bytes?.byteLength !== length) throw new Error('The copy of this file is incomplete');
    return new Blob([bytes]);
  }
}

/** `Blob.arrayBuffer` came with Chromium 76. @throws where the browser lost what the blob stands for */
export async function readBlob(blob: Blob): Promise<ArrayBuffer> {
  const bytes = await new Response(blob).arrayBuffer();
  // Safari reads files that it lost as empty ones.
  if (bytes.byteLength !== blob.size) throw new Error('The file cannot be read any more');
  return bytes;
}
