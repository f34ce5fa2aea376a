/** The fields of yt-dlp's `.info.json` and of what gallery-dl and its like write beside a file. */
const fields = ['tags', 'categories', 'genres'] as const;

/** The names in the JSON that a downloader left; none for any other JSON. */
export function readDownloaderJson(text: string): string[] {
  const parsed = parse(text);
  return typeof parsed === 'object' && parsed !== null
    ? fields.flatMap((field) => textsOf((parsed as Record<string, unknown>)[field]))
    : [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
}

/** A list, or names with commas between them. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(',');
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
