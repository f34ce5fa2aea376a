import type { TagChangeRecord } from '#contract/entities/tag.ts';
import type { FakeAnswer } from './fake-server.ts';

/** A time so many days from now. */
export const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString();

export const change = (id: string, facts: Partial<TagChangeRecord> = {}): TagChangeRecord => ({
  id,
  kind: 'merge',
  state: 'done',
  subject: 'Alps',
  detail: 'Mountains',
  made_by: 'ada',
  created_at: days(-1),
  expires_at: days(29),
  tags: 1,
  links: 3_400,
  error: null,
  ...facts,
});

/** The only page of what was done to channels. */
export const pageOf = (...changes: TagChangeRecord[]): FakeAnswer => ({
  json: { changes, total: changes.length, total_pages: 1, page: 1, limit: 20 },
});
