import { XMLParser } from 'fast-xml-parser';

/** Kodi's fields for what a film is about (kodi.wiki, NFO files). */
const fields = ['tag', 'genre'] as const;
/** A file with definitions of its own is none that a downloader wrote, and the way in for entities that multiply. */
const definition = /<!(DOCTYPE|ENTITY)/i;

const parser = new XMLParser({ ignoreAttributes: true, parseTagValue: false });

/** The names in a `.nfo` of Kodi, Jellyfin and their like; none for what is no XML. */
export function readNfo(text: string): string[] {
  if (definition.test(text)) return [];
  const parsed = parse(text);
  const roots = Object.values(isRecord(parsed) ? parsed : {}).filter(isRecord);
  return roots.flatMap((root) => fields.flatMap((field) => textsOf(root[field])));
}

function parse(text: string): unknown {
  try {
    // Some have an address below the XML (kodi.wiki, Parsing NFO): everything behind the last tag is none of it.
    return parser.parse(text.slice(0, text.lastIndexOf('>') + 1));
  } catch {
    return null;
  }
}

/** A genre may hold several, with a slash between blanks. */
function textsOf(value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.filter((item) => typeof item === 'string').flatMap((item) => item.split(/\s+\/\s+/));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
