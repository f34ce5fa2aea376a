import { proxy } from 'valtio';
import { readText } from '#app/platform/http/download.ts';
import { readWhatsNew } from '#contract/endpoints.ts';
import { whatsNew } from '#contract/failures.ts';

interface NewsState {
  /** Markdown without its title; null while it loads. */
  text: string | null;
}

export const news = proxy<NewsState>({ text: null });

let isMissing = false;

/** §8: where the news cannot be loaded, a fixed text is shown. */
export async function loadNews(): Promise<void> {
  const text = await readText(readWhatsNew).catch(() => null);
  isMissing = text === null;
  news.text = withoutTitle(text?.trim() ? text : whatsNew);
}

/** Loads news again that could not be loaded. */
export async function loadMissingNews(): Promise<void> {
  if (isMissing) await loadNews();
}

export function resetNews(): void {
  isMissing = false;
  news.text = null;
}

/** The panel draws the title itself. */
function withoutTitle(text: string): string {
  return text.replace(/^\s*#\s+what['’]s new[ \t]*\r?\n/i, '');
}
