import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { callCached } from '#app/platform/http/call-cached.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { sendOrStore } from '#app/state/outbox/outbox-actions.ts';
import { onOutboxSent } from '#app/state/outbox/outbox-state.ts';
import { changedOnServer } from '#app/state/revision.ts';
import { sentLater } from '#app/ui/list/list-state.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { deleteTagPermanently, listTags, updateTagAliases } from '#contract/endpoints.ts';
import type { Tag, TagCreation, TagListQuery, TagUpdate } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import { newRandomId } from '#device/random-id.ts';
import { now } from '#device/timers.ts';

export type TagSort = NonNullable<TagListQuery['sort_by']>;
type SortOrder = NonNullable<TagListQuery['sort_order']>;

/** The values of a tag that its dialogs edit. */
type TagValues = Required<TagCreation>;

/** §2 Tag Management: active tags, 20 per page. */
export const tags = createPagedList<Tag, { sort: TagSort; order: SortOrder }>({
  limit: limits.tagsPerPage,
  filters: { sort: 'name', order: 'asc' },
  load: async ({ page, search, filters: { sort, order } }, signal) => {
    const query = {
      sort_by: sort,
      sort_order: order,
      page,
      limit: limits.tagsPerPage,
      ...(search !== '' && { search }),
    };
    const { reply, cachedAt } = await callCached(listTags, query, signal);
    return { items: reply.tags, total: reply.total, cachedAt };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadTags,
});

/** The outcome of the last action, until it is dismissed. */
export const tagsOutcome = proxy<{ kind: 'danger' | 'ok' | 'info'; sentence: string | null }>({
  kind: 'ok',
  sentence: null,
});

/**
 * Opens the list, which also reloads when others change tags, or the viewer sees other ones.
 * Returns a function that closes it.
 */
export function openTags(): () => void {
  const stops = [
    tags.open(),
    changedOnServer.tags.listen(() => void tags.reload()),
    changedOnServer.profile.listen(() => void tags.reload()),
    onOutboxSent(showSent),
    dismissOutcome,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function showSent(): void {
  tags.forgetLater();
  if (tagsOutcome.sentence === notices.changeWaits) dismissOutcome();
}

export function showOutcome(kind: 'danger' | 'ok' | 'info', sentence: string): void {
  Object.assign(tagsOutcome, { kind, sentence });
}

export function dismissOutcome(): void {
  tagsOutcome.sentence = null;
}

export function toggleOrder(): void {
  tags.filter({ order: tags.state.filters.order === 'asc' ? 'desc' : 'asc' });
}

/** Whether one of these tags is not for everybody. */
export function isAnyForSome(items: readonly Pick<Tag, 'id' | 'audience'>[], ids: readonly string[]): boolean {
  return items.some(({ id, audience }) => audience !== undefined && ids.includes(id));
}

/**
 * Whether the row has no id yet because the server has not replied. Such a row allows no actions.
 */
export function isUnsentTag({ id }: Pick<Tag, 'id'>): boolean {
  return id.startsWith(unsentPrefix);
}

const unsentPrefix = 'new:';

/** @throws like `call`, after the row is removed again */
export async function createTag(values: TagValues): Promise<void> {
  let row: Tag = {
    id: `${unsentPrefix}${newRandomId()}`,
    ...values,
    video_count: 0,
    created_at: new Date(now()).toISOString(),
    active: true,
    aliases: [],
  };
  await tags.change(
    (items) => (items.some(({ id }) => id === row.id) ? items : [row, ...items]),
    async () => {
      const sent = await sendTagCreation(values);
      if ('id' in sent) {
        row = sent;
        return null;
      }
      row = { ...row, id: sent.waitingId ?? row.id };
      return showWaiting();
    },
  );
}

/** @throws like `call`, after the row is rolled back */
export async function updateTag(tag: Pick<Tag, 'id' | 'name'>, changes: TagUpdate): Promise<void> {
  const { audience, ...values } = changes;
  const shown = { ...values, ...(audience && { audience: audience === 'anyone' ? undefined : audience }) };
  await tags.change(replace(tag.id, shown), async () => ((await sendTagUpdate(tag, changes)) ? showWaiting() : null));
}

/**
 * Adds and removes aliases of a tag as they differ from the known ones. What others have added or
 * removed since those were read stays so.
 * @throws like `call`, after the row is rolled back
 */
export async function updateAliases(id: string, known: readonly string[], wanted: readonly string[]): Promise<void> {
  const body = { aliases: [...wanted], known: [...known] };
  await tags.change(
    replace(id, { aliases: body.aliases }),
    async () => (await call(updateTagAliases, { params: { id }, body })).tag,
  );
}

export async function deleteTag(tag: Pick<Tag, 'id' | 'name'>, { isPermanent = false } = {}): Promise<void> {
  dismissOutcome();
  try {
    let isDeleted = false;
    await tags.change(without(tag.id), async () => {
      if (isPermanent) return sendPermanentTagRemoval(tag.id);
      const sent = await remove(tag);
      isDeleted = sent === null;
      return sent;
    });
    if (isDeleted) showOutcome('ok', notices.tagsDeleted(1));
  } catch (error) {
    showOutcome('danger', failures.deleteTag(error));
  }
}

/** Sends one call per id. Rows that failed are restored, and a summary names them (§4 Tagging). */
export async function deleteTags(ids: readonly string[]): Promise<void> {
  dismissOutcome();
  const named = tags.state.items.filter(({ id }) => ids.includes(id)).map(({ id, name }) => ({ id, name }));
  const kept: { name: string; error: unknown }[] = [];
  let deleted = 0;
  const send = async (tag: Pick<Tag, 'id' | 'name'>) => {
    const sent = await remove(tag);
    if (sent === null) deleted += 1;
    return sent;
  };
  await Promise.all(
    named.map((tag) =>
      tags.change(without(tag.id), () => send(tag)).catch((error: unknown) => kept.push({ name: tag.name, error })),
    ),
  );
  const [first] = kept;
  const names = kept.map(({ name }) => name);
  if (first) showOutcome('danger', summaryOf(names, named.length, first.error));
  else if (deleted === named.length && deleted > 0) showOutcome('ok', notices.tagsDeleted(deleted));
}

async function remove(tag: Pick<Tag, 'id' | 'name'>): Promise<typeof sentLater | null> {
  return (await sendTagRemoval(tag)) ? showWaiting() : null;
}

function showWaiting(): typeof sentLater {
  showOutcome('info', notices.changeWaits);
  return sentLater;
}

function summaryOf(names: readonly string[], all: number, error: unknown): string {
  return all === 1 ? failures.deleteTags(error) : failures.tagsKept(names.length, all, names.join(', '), error);
}

function without(id: string) {
  return (items: readonly Tag[]) => items.filter((item) => item.id !== id);
}

function replace(id: string, changes: Partial<Tag>) {
  return (items: readonly Tag[]) => items.map((item) => (item.id === id ? { ...item, ...changes } : item));
}

/*
 * The write calls of tag management, one function each. Most can wait for the network. All throw as
 * `call` does, and NotStored when the device has no space for a waiting change.
 */

/** A tag with the name that the list of waiting changes shows. */
type NamedTag = Pick<Tag, 'id' | 'name'>;

/** @returns the tag, or a temporary id while the change waits for the network */
async function sendTagCreation(body: TagCreation): Promise<Tag | { waitingId: string | null }> {
  const sent = await sendOrStore('createTag', { body, subject: body.name });
  return sent.isStored ? { waitingId: sent.temporaryId } : sent.reply.tag;
}

/** @returns whether the change waits for the network */
async function sendTagUpdate({ id, name }: NamedTag, body: TagUpdate): Promise<boolean> {
  return (await sendOrStore('updateTag', { params: { id }, body, subject: name })).isStored;
}

/** @returns whether the change waits for the network */
async function sendTagRemoval({ id, name }: NamedTag): Promise<boolean> {
  return asDone(sendOrStore('deleteTag', { params: { id }, subject: name }));
}

async function sendPermanentTagRemoval(id: string): Promise<void> {
  await asDone(call(deleteTagPermanently, { params: { id } }).then(() => ({ isStored: false })));
}

/** Deleting a tag that is already gone counts as done (§4 Tagging). */
async function asDone(removal: Promise<{ isStored: boolean }>): Promise<boolean> {
  try {
    return (await removal).isStored;
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return false;
    throw error;
  }
}
