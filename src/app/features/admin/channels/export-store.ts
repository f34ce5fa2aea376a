import { proxy } from 'valtio/vanilla';
import { download, saveFile } from '#app/platform/http/download.ts';
import { now } from '#app/platform/timers.ts';
import { readRefusal } from '#app/ui/form/form.ts';
import { sizeText } from '#app/ui/size-text.ts';
import { exportTags } from '#contract/endpoints.ts';
import * as notices from '#contract/notices.ts';
import type { TransferFormat } from '#contract/rules/tag.ts';
import { dayText } from '../days.ts';
import type { Outcome } from './changes-store.ts';

interface ExportState {
  /** What is being read; null at rest. */
  format: TransferFormat | null;
  /** Bytes that have come so far. */
  bytes: number;
  notice: Outcome | null;
}

const atRest: ExportState = { format: null, bytes: 0, notice: null };

export const tagExport = proxy<ExportState>({ ...atRest });

/** The shown count changes no more often. */
const progressMs = 500;

let exporting = new AbortController();

/** Saves all channels and what they are on as a file. */
export async function exportChannels(format: TransferFormat): Promise<void> {
  if (tagExport.format !== null) return;
  resetExport();
  const { signal } = exporting;
  tagExport.format = format;
  try {
    const file = await download(exportTags, { query: { format }, signal, onProgress: showProgress() });
    if (signal.aborted) return;
    const filename = `channels-${dayText(new Date(now()))}.${format}`;
    saveFile(file, filename);
    Object.assign(tagExport, atRest, {
      notice: { kind: 'ok', sentence: notices.channelsExported(filename, sizeText(file.size)) },
    });
  } catch (error) {
    if (signal.aborted) return;
    Object.assign(tagExport, atRest, { notice: { kind: 'danger', sentence: readRefusal(error) } });
  }
}

/** Gives up what is under way. */
export function resetExport(): void {
  exporting.abort();
  exporting = new AbortController();
  Object.assign(tagExport, atRest);
}

function showProgress(): (bytes: number) => void {
  let shownAt = Number.NEGATIVE_INFINITY;
  return (bytes) => {
    if (now() - shownAt < progressMs) return;
    shownAt = now();
    tagExport.bytes = bytes;
  };
}
