import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { readRefusal } from '#app/ui/form/form.ts';
import { importTags } from '#contract/endpoints.ts';
import type { TagImportReply } from '#contract/entities/tag.ts';
import * as notices from '#contract/notices.ts';
import type { TransferFormat } from '#contract/rules/tag.ts';
import type { Outcome } from './changes-store.ts';
import { changes } from './changes-store.ts';
import type { ImportFile } from './import-file.ts';
import { readImportFile } from './import-file.ts';

/** What the import of a file would change. */
export interface ImportPlan extends Omit<TagImportReply, 'dry_run' | 'change'> {
  filename: string;
  format: TransferFormat;
}

interface ImportState {
  /** Name of the file that is being read and checked. */
  checking: string | null;
  /** Of the file that was checked last, until it is imported. */
  plan: ImportPlan | null;
  isImporting: boolean;
  notice: Outcome | null;
}

const atRest: ImportState = { checking: null, plan: null, isImporting: false, notice: null };

export const tagImport = proxy<ImportState>({ ...atRest });

/** The file of the plan. Megabytes of text have no place in a proxy. */
let planned: ImportFile | null = null;
let importing = new AbortController();

/** Reads a file, and asks what its import would change. */
export async function checkImport(chosen: File): Promise<void> {
  if (tagImport.isImporting) return;
  resetImport();
  const { signal } = importing;
  tagImport.checking = chosen.name;
  try {
    const reading = await readImportFile(chosen);
    if (signal.aborted) return;
    if ('refusal' in reading) return refuse(reading.refusal);
    const { dry_run, change, ...plan } = await send(reading.file, true, signal);
    planned = reading.file;
    Object.assign(tagImport, atRest, { plan: { ...plan, filename: chosen.name, format: reading.file.format } });
  } catch (error) {
    if (!signal.aborted) refuse(readRefusal(error));
  }
}

/** Imports the file that was checked. */
export async function startImport(): Promise<void> {
  if (!planned || tagImport.isImporting) return;
  const { signal } = importing;
  Object.assign(tagImport, { isImporting: true, notice: null });
  try {
    await send(planned, false, signal);
    resetImport();
    tagImport.notice = { kind: 'ok', sentence: notices.importStarted };
    void changes.reload();
  } catch (error) {
    if (signal.aborted) return;
    Object.assign(tagImport, { isImporting: false, notice: { kind: 'danger', sentence: readRefusal(error) } });
  }
}

/** Forgets the file, and gives up what is under way. */
export function resetImport(): void {
  importing.abort();
  importing = new AbortController();
  planned = null;
  Object.assign(tagImport, atRest);
}

function send(file: ImportFile, isDryRun: boolean, signal: AbortSignal): Promise<TagImportReply> {
  const limitSeconds = importTags.facts?.deadlineSeconds;
  return call(importTags, { body: { ...file, dry_run: isDryRun }, signal, ...(limitSeconds && { limitSeconds }) });
}

function refuse(sentence: string): void {
  Object.assign(tagImport, atRest, { notice: { kind: 'danger', sentence } });
}
