import type { SharedBatch, UploadQueue, UploadRow, UploadStatus } from '#app/state/uploads/uploads-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';

/** What the screen has asked of the queue: the name of the call, then what it was given. */
export const asked: unknown[][] = [];

/** What the next calls answer, by name. */
export const answers: Record<string, unknown> = {};

const record =
  (name: string) =>
  async (...given: unknown[]) => {
    asked.push([name, ...given]);
    const answer = answers[name];
    if (answer instanceof Error) throw answer;
    return answer;
  };

/** In the place of the one that sends: it notes what it is asked for, and sends nothing. */
export const recordingQueue = new Proxy({} as UploadQueue, { get: (_, name) => record(String(name)) });

/** A file of the list; waits for the button unless told otherwise. */
export function row(
  name: string,
  status: UploadStatus = { kind: 'waiting', reason: 'start' },
  facts: Partial<UploadRow> = {},
): UploadRow {
  const row = { id: name, batchId: 'batch', name, size: 1_000_000_000, acknowledgedBytes: 0, status };
  return { ...row, speed: null, secondsLeft: null, resumesByItself: true, ...facts };
}

export function shared(batchId: string, ...names: string[]): SharedBatch {
  return { batchId, names, size: names.length * 1_000_000 };
}

export function resetUploads(): void {
  asked.length = 0;
  for (const name of Object.keys(answers)) delete answers[name];
  Object.assign(uploads, {
    isLoaded: true,
    rows: [],
    shared: [],
    tagIds: [],
    secondsLeft: null,
    ending: 0,
    isLasting: true,
    startFailure: null,
  });
}
