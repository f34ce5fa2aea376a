import { XMLParser } from 'fast-xml-parser';

/** Kodi's fields for what a film is about (kodi.wiki, NFO files). */
const fields = ['tag', 'genre'] as const;
/** A file with definitions of its own is none that a downloader wrote, and the way in for entities that multiply. */
const definition = /<!(DOCTYPE|ENTITY)/i;

const parser = new XMLParser({ ignoreAttributes: true, parseTagValue: false });

/** The first names in a `.nfo` of Kodi, Jellyfin and their like; none for what is no XML. */
export function readNfo(text: string, max: number): string[] {
  if (definition.test(text)) return [];
  const parsed = parse(text);
  const roots = Object.values(isRecord(parsed) ? parsed : {}).filter(isRecord);
  return roots.flatMap((root) => fields.flatMap((field) => textsOf(root[field], max))).slice(0, max);
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
function textsOf(value: unknown, max: number): string[] {
  const values = Array.isArray(value) ? value.slice(0, max) : [value];
  return values.filter((item) => typeof item === 'string').flatMap((item) => item.split(/\s+\/\s+/, max));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
