import type { OutboxDraft } from '#device/outbox-entry.ts';

const basics = { subject: null, createdAt: 0, userId: 'ana' } as const;

/** A number of changes that need nothing of each other. */
export function assignments(count: number, facts: Partial<OutboxDraft> = {}): OutboxDraft[] {
  return Array.from({ length: count }, (_, at) => assignment(`video-${at}`, ['tag-1'], facts));
}

export function assignment(path: string, tagIds: string[], facts: Partial<OutboxDraft> = {}): OutboxDraft {
  return {
    ...basics,
    call: 'assignTags',
    params: { path },
    body: { tag_ids: tagIds },
    idempotencyKey: `assign ${path} ${tagIds}`,
    ...facts,
  };
}

export function creation(name: string, temporaryId: string, facts: Partial<OutboxDraft> = {}): OutboxDraft {
  return {
    ...basics,
    call: 'createTag',
    params: null,
    body: { name },
    temporaryId,
    idempotencyKey: `create ${name}`,
    ...facts,
  };
}

export function removal(id: string, facts: Partial<OutboxDraft> = {}): OutboxDraft {
  return { ...basics, call: 'deleteTag', params: { id }, body: undefined, idempotencyKey: `delete ${id}`, ...facts };
}
