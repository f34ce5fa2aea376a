import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import type { Outcome } from '#app/ui/card.tsx';
import { readRefusal } from '#app/ui/form/form.ts';
import { importTags } from '#contract/endpoints.ts';
import type { TagImportReply } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import type { TransferFormat } from '#contract/rules/tag.ts';
import { transferFormats } from '#contract/rules/tag.ts';
import { tagChanges } from './changes-store.ts';

/** The changes that the import of a file would make. */
export interface ImportPlan extends Omit<TagImportReply, 'dry_run' | 'change'> {
  filename: string;
  format: TransferFormat;
}

interface ImportState {
  /** Name of the file that is being read and checked. */
  checking: string | null;
  /** The plan of the file that was checked last, until it is imported. */
  plan: ImportPlan | null;
  isImporting: boolean;
  notice: Outcome | null;
}

const atRest: ImportState = { checking: null, plan: null, isImporting: false, notice: null };

export const tagImport = proxy<ImportState>({ ...atRest });

/** The file of the plan, kept out of the proxy because it can be megabytes of text. */
let planned: ImportFile | null = null;
let importing = new AbortController();

/** Reads a file and asks the server what its import would change. */
export async function checkImport(chosen: File): Promise<void> {
  if (tagImport.isImporting) return;
  resetImport();
  const { signal } = importing;
  tagImport.checking = chosen.name;
  try {
    const reading = await readChosenFile(chosen);
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
    void tagChanges.reload();
  } catch (error) {
    if (signal.aborted) return;
    Object.assign(tagImport, { isImporting: false, notice: { kind: 'danger', sentence: readRefusal(error) } });
  }
}

/** Forgets the file and cancels the request in progress. */
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

/** A file as the endpoint `importTags` takes it. */
interface ImportFile {
  filename: string;
  format: TransferFormat;
  text: string;
}

type Reading = { file: ImportFile } | { refusal: string };

/** Reads the chosen file, or says why it cannot be imported. */
export async function readChosenFile(chosen: File): Promise<Reading> {
  const format = formatOf(chosen.name);
  if (format === undefined) return { refusal: failures.importFormat };
  // The text of a request has at least as many bytes as the file.
  if (chosen.size > limits.importKiB * 1024) return { refusal: failures.importTooLarge(limits.importCharacters) };
  const text = await readText(chosen);
  if (text === null) return { refusal: failures.readImportFile };
  const refusal = checkText(text);
  return refusal === null ? { file: { filename: chosen.name, format, text } } : { refusal };
}

function formatOf(filename: string): TransferFormat | undefined {
  return transferFormats.find((format) => filename.toLowerCase().endsWith(`.${format}`));
}

/**
 * Returns null for a file that is gone or not readable. The oldest supported engine lacks
 * `File.text`.
 */
function readText(chosen: File): Promise<string | null> {
  return new Response(chosen).text().catch(() => null);
}

function checkText(text: string): string | null {
  if (text.trim() === '') return failures.importEmpty;
  if (text.length > limits.importCharacters) return failures.importTooLarge(limits.importCharacters);
  // The decoder replaces bytes that are not UTF-8 with U+FFFD. UTF-16 without a mark has NULs.
  return text.indexOf('\ufffd') < 0 && text.indexOf('\0') < 0 ? null : failures.importEncoding;
}
