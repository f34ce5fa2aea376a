/** Names a set: a tag's by the tag's row number. */
export type SetKey = 'available' | 'untagged' | number;

const tagPrefix = 'tag:';

/** As it is stored. */
export function writeSetKey(key: SetKey): string {
  return typeof key === 'number' ? `${tagPrefix}${key}` : key;
}

export function readSetKey(text: string): SetKey {
  return text === 'available' || text === 'untagged' ? text : Number(text.slice(tagPrefix.length));
}
