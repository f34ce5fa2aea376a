import type { QueuedUpload } from '#device/uploads/queued-upload.ts';

/** Which files are sent next: those with the fewest bytes left; of two alike the one that was added first. */
export function chooseNext<Candidate extends { upload: QueuedUpload }>(
  candidates: readonly Candidate[],
  count: number,
): Candidate[] {
  const byBytesLeft = (one: Candidate, other: Candidate) =>
    bytesLeft(one.upload) - bytesLeft(other.upload) || one.upload.createdAt - other.upload.createdAt;
  return [...candidates].sort(byBytesLeft).slice(0, Math.max(0, count));
}

function bytesLeft({ size, acknowledgedBytes }: QueuedUpload): number {
  return size - acknowledgedBytes;
}
