import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { TransferFormat } from '#contract/rules/tag.ts';
import { transferFormats } from '#contract/rules/tag.ts';

/** A file as `importTags` takes it. */
export interface ImportFile {
  filename: string;
  format: TransferFormat;
  text: string;
}

type Reading = { file: ImportFile } | { refusal: string };

/** For a file input: endings for desktops, types for Android. */
export const importTypes = '.csv,.json,text/csv,application/json';

/** Reads a file of channels that was chosen, or says why it cannot be one. */
export async function readImportFile(chosen: File): Promise<Reading> {
  const format = formatOf(chosen.name);
  if (format === undefined) return { refusal: failures.importFormat };
  // A call holds at least as many bytes as the file.
  if (chosen.size > limits.importKiB * 1024) return { refusal: failures.importTooLarge(limits.importCharacters) };
  const text = await readText(chosen);
  if (text === null) return { refusal: failures.readImportFile };
  const refusal = checkText(text);
  return refusal === null ? { file: { filename: chosen.name, format, text } } : { refusal };
}

function formatOf(filename: string): TransferFormat | undefined {
  return transferFormats.find((format) => filename.toLowerCase().endsWith(`.${format}`));
}

/** Null for a file that is gone, or may not be read. `File.text` is younger than the oldest engine. */
async function readText(chosen: File): Promise<string | null> {
  try {
    return await new Response(chosen).text();
  } catch {
    // The browser says no more than that it failed.
    return null;
  }
}

function checkText(text: string): string | null {
  if (text.trim() === '') return failures.importEmpty;
  if (text.length > limits.importCharacters) return failures.importTooLarge(limits.importCharacters);
  // What takes the place of bytes that are no UTF-8.
  return text.indexOf('\ufffd') < 0 ? null : failures.importEncoding;
}
