/** The fields of yt-dlp's `.info.json` and of what gallery-dl and its like write beside a file. */
const fields = ['tags', 'categories', 'genres'] as const;

/** The first names in the JSON that a downloader left; none for any other JSON. */
export function readDownloaderJson(text: string, max: number): string[] {
  const parsed = parse(text);
  return typeof parsed === 'object' && parsed !== null
    ? fields.flatMap((field) => textsOf((parsed as Record<string, unknown>)[field], max)).slice(0, max)
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
function textsOf(value: unknown, max: number): string[] {
  if (typeof value === 'string') return value.split(',', max);
  return Array.isArray(value) ? value.slice(0, max).filter((item) => typeof item === 'string') : [];
}
