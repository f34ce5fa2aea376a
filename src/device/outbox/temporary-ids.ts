import { newRandomId } from '../random-id.ts';
import type { OutboxEntry } from './outbox-entry.ts';

type Arguments = Pick<OutboxEntry, 'params' | 'body'>;

const prefix = 'new-';

/** An id for a tag that the server does not know yet. */
export function newTemporaryId(): string {
  return prefix + newRandomId();
}

/** The temporary ids that a change refers to, in its address or its list of tags. */
export function temporaryIdsOf({ params, body }: Arguments): string[] {
  return [...Object.values(params ?? {}), ...tagIdsOf(body)].filter(isTemporary);
}

/** The same change with the ids that the server has given. */
export function replaceIds({ params, body }: Arguments, given: ReadonlyMap<string, string>): Arguments {
  const replace = (id: string) => given.get(id) ?? id;
  return {
    params: params && mapValues(params, replace),
    body: hasTagIds(body) ? { ...body, tag_ids: body.tag_ids.map(replace) } : body,
  };
}

export function refersTo(entry: Arguments, temporaryId: string | null): boolean {
  return temporaryId !== null && temporaryIdsOf(entry).includes(temporaryId);
}

function isTemporary(id: string): boolean {
  return /^new-[0-9a-f]{32}$/.test(id);
}

function tagIdsOf(body: unknown): readonly string[] {
  return hasTagIds(body) ? body.tag_ids : [];
}

function hasTagIds(body: unknown): body is { tag_ids: readonly string[] } {
  return Array.isArray((body as { tag_ids?: unknown } | null)?.tag_ids);
}

function mapValues(values: Readonly<Record<string, string>>, map: (value: string) => string): Record<string, string> {
  const mapped: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) mapped[name] = map(value);
  return mapped;
}
