import { buildAddress } from '#app/platform/http/address.ts';
import { call } from '#app/platform/http/call.ts';
import { listTags } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import { nameKey } from '#contract/rules/text.ts';
import type { OutboxEntry } from '#device/outbox-entry.ts';
import { outboxCalls } from '#device/outbox-entry.ts';
import type { ReplayAnswer, ReplayNetwork } from '#device/outbox-replay.ts';
import { fetchAs, sendAs } from '../send-as.ts';

type Request = Pick<OutboxEntry, 'userId' | 'call' | 'params' | 'body' | 'idempotencyKey'>;

/** The most pages of search results in which a tag of the exact name is looked for. */
const maxTagPages = 10;

/** Sends with the key of a change, and never with another user's token. */
export function fetchFor({ userId, idempotencyKey }: Pick<Request, 'userId' | 'idempotencyKey'>) {
  return fetchAs({ userId, headers: { 'Idempotency-Key': idempotencyKey } });
}

export const outboxNetwork: ReplayNetwork = { send: sendEntry, findTag };

function sendEntry({ userId, call, params, body, idempotencyKey }: Request): Promise<ReplayAnswer> {
  const { method, path } = outboxCalls[call];
  const headers = { 'Idempotency-Key': idempotencyKey };
  return sendAs({ userId, method, address: buildAddress(path, params ?? {}), body, headers });
}

async function findTag({ body }: Pick<OutboxEntry, 'body'>): Promise<string | null> {
  const { name } = body as { name: string };
  const wanted = nameKey(name);
  const isNamed = (one: string) => nameKey(one) === wanted;
  for (let page = 1, pages = 1; page <= Math.min(pages, maxTagPages); page += 1) {
    const query = { search: name.trim(), limit: limits.tagListLimit, page };
    const { tags, total_pages } = await call(listTags, { query, quiet: true });
    const found = tags.find((tag) => isNamed(tag.name)) ?? tags.find(({ aliases }) => aliases.some(isNamed));
    if (found) return found.id;
    pages = total_pages;
  }
  return null;
}
