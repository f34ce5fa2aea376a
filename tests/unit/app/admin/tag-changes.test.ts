import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { changeText } from '#app/features/admin/channels/change-list.tsx';
import {
  changeActions,
  resetChangeActions,
  tagChanges,
  undoTagChange,
  watchChanges,
} from '#app/features/admin/channels/changes-store.ts';
import type { TagChangeRecord } from '#contract/entities/tag.ts';

const page = Object.assign(new EventTarget(), { hidden: false });
const record = {
  id: 'm',
  kind: 'merge',
  state: 'running',
  subject: 'Alps',
  detail: 'Mountains',
  made_by: 'ada',
  created_at: '2026-11-22T12:00:00.000Z',
  expires_at: '2026-12-22T12:00:00.000Z',
  tags: 1,
  links: 3,
  error: null,
} satisfies TagChangeRecord;

let asked: string[];
let undoStatus: number;
/** Never resolves while it is false. */
let answers: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  page.hidden = false;
  vi.stubGlobal('document', page);
  asked = [];
  undoStatus = 202;
  answers = true;
  vi.stubGlobal('fetch', async (address: string, { method = 'GET' }: RequestInit) => {
    asked.push(`${method} ${address.split('?')[0]}`);
    if (!answers) await new Promise(() => {});
    if (method === 'GET') return Response.json({ changes: [record], total: 1, total_pages: 1, page: 1, limit: 20 });
    if (undoStatus === 202) return Response.json({ change: { ...record, state: 'undoing' } }, { status: 202 });
    return Response.json({ error: 'conflict', message: 'It is too late.' }, { status: undoStatus });
  });
});

afterEach(() => {
  tagChanges.close();
  resetChangeActions();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const reads = () => asked.filter((one) => one.startsWith('GET')).length;

test('while it is watched the list is read every three seconds, never in a hidden tab, and at once on its return', async () => {
  tagChanges.open();
  const stop = watchChanges();
  await vi.advanceTimersByTimeAsync(6_000);
  expect(reads()).toBe(3);
  page.hidden = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(3);
  page.hidden = false;
  page.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(0);
  expect(reads()).toBe(4);
  stop();
  page.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(4);
});

test('a slow answer is waited for, not asked again', async () => {
  answers = false;
  tagChanges.open();
  const stop = watchChanges();
  await vi.advanceTimersByTimeAsync(9_000);
  stop();
  expect(reads()).toBe(1);
});

test('a change is undoing at once, and goes back when the server refuses', async () => {
  tagChanges.open();
  await vi.advanceTimersByTimeAsync(0);
  undoStatus = 409;
  const undone = undoTagChange('m');
  expect(tagChanges.state.items[0]?.state).toBe('undoing');
  await undone;
  expect(tagChanges.state.items[0]?.state).toBe('running');
  expect(changeActions.undoRefusal).toBe('It is too late.');
});

test.each([
  [{}, 'Merging Alps into Mountains'],
  [{ state: 'failed', kind: 'removal' }, 'Removing Alps'],
  [{ state: 'done' }, 'Merged Alps into Mountains'],
  [{ state: 'done', detail: null }, 'Merged Alps into another channel'],
  [{ state: 'undone', kind: 'import', subject: 'tags.csv' }, 'Imported tags.csv'],
  [{ state: 'running', kind: 'sidecars' }, 'Reading tags from sidecar files'],
] satisfies [Partial<TagChangeRecord>, string][])('%o', (facts, words) => {
  expect(changeText({ ...record, ...facts })).toBe(words);
});
