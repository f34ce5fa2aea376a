import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  cancelRunning,
  cancelWaiting,
  createFailedJobs,
  jobActions,
  jobs,
  resetJobActions,
  retryAllFailed,
  retryOne,
} from '#app/features/admin/jobs-store.ts';

const page = Object.assign(new EventTarget(), { hidden: false });
const posters = { kind: 'poster', queued: 10_000, running: 0, failed: 2, done: 5, cancelled: 0 };
const job = (id: string) => ({ id, kind: 'poster', state: 'failed', progress: 0, attempts: 3, error: 'No picture' });
const listOf = (...ids: string[]) => ({ jobs: ids.map(job), total: ids.length, total_pages: 1, page: 1, limit: 20 });

let asked: string[];
let answers: Record<string, { status?: number; json?: unknown }>;
let close = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  page.hidden = false;
  vi.stubGlobal('document', page);
  asked = [];
  answers = { 'GET /api/admin/jobs/kinds': { json: { kinds: [posters] } } };
  vi.stubGlobal('fetch', async (address: string, { method = 'GET', body }: RequestInit) => {
    asked.push(`${method} ${address}${body ? ` ${body}` : ''}`);
    const { status = 200, json = null } = answers[`${method} ${address.split('?')[0]}`] ?? {
      status: 409,
      json: { error: 'conflict', message: 'This work has ended already.' },
    };
    return new Response(status === 204 ? null : JSON.stringify(json), { status });
  });
});

afterEach(() => {
  close();
  resetJobActions();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function open(): Promise<void> {
  close = jobs.open();
  await vi.advanceTimersByTimeAsync(0);
}

test('10,000 waiting jobs are one line, and no list is asked for while none runs', async () => {
  await open();
  expect(jobs.state.value).toEqual({ kinds: [posters], running: [] });
  expect(asked).toEqual(['GET /api/admin/jobs/kinds']);
});

test('what runs is asked for beside the counts', async () => {
  answers['GET /api/admin/jobs/kinds'] = { json: { kinds: [{ ...posters, running: 1 }] } };
  answers['GET /api/admin/jobs'] = { json: listOf('one') };
  await open();
  expect(asked).toEqual(['GET /api/admin/jobs/kinds', 'GET /api/admin/jobs?state=running']);
  expect(jobs.state.value?.running.map(({ id }) => id)).toEqual(['one']);
});

test('the counts are read again every 5 s, not in a hidden tab, and not after the section was left', async () => {
  await open();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveLength(3);
  page.hidden = true;
  page.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(3);
  close();
  page.hidden = false;
  page.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(3);
});

test('all failed, or all waiting, work of a kind is acted upon in one call', async () => {
  await open();
  answers['POST /api/admin/jobs/retry'] = { json: { success: true, jobs: 2 } };
  await retryAllFailed('poster');
  expect(jobActions.notice).toEqual({ kind: 'ok', sentence: '2 jobs will be tried again.' });
  answers['POST /api/admin/jobs/cancel'] = { json: { success: true, jobs: 10_000 } };
  await cancelWaiting('poster');
  expect(jobActions.notice).toEqual({ kind: 'ok', sentence: '10,000 jobs cancelled.' });
  expect(asked.filter((one) => one.startsWith('POST'))).toEqual([
    'POST /api/admin/jobs/retry {"kind":"poster"}',
    'POST /api/admin/jobs/cancel {"kind":"poster"}',
  ]);
  await vi.advanceTimersByTimeAsync(0);
  expect(asked.filter((one) => one.includes('kinds'))).toHaveLength(3);
});

test('a job that has ended meanwhile is told in the words of the server', async () => {
  await open();
  await cancelRunning('one');
  expect(jobActions).toMatchObject({
    isBusy: false,
    notice: { kind: 'danger', sentence: 'This work has ended already.' },
  });
});

test('a failed job that is tried again leaves the list of its kind', async () => {
  answers['GET /api/admin/jobs'] = { json: listOf('one', 'two') };
  const list = createFailedJobs('poster');
  close = list.open();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual(['GET /api/admin/jobs?kind=poster&state=failed&page=1&limit=20']);
  answers['POST /api/admin/jobs/one/retry'] = { status: 202, json: { success: true } };
  answers['GET /api/admin/jobs'] = { json: listOf('two') };
  await retryOne(list, 'one');
  expect(list.state.items.map(({ id }) => id)).toEqual(['two']);
  expect(jobActions.notice?.sentence).toBe('1 job will be tried again.');
});
