import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { JobsSection } from '#app/features/admin/jobs-section.tsx';
import { connection } from '#app/state/connection.ts';
import type { Job, JobKindCounts } from '#contract/entities/library.ts';
import { button, draw, press, settle } from '../draw.tsx';
import type { FakeAnswer } from './fake-server.ts';
import { fakeServer } from './fake-server.ts';

const minutesAgo = (count: number) => new Date(Date.now() - count * 60_000).toISOString();

const kindOf = (kind: string, facts: Partial<JobKindCounts> = {}): JobKindCounts => ({
  kind,
  queued: 0,
  running: 0,
  failed: 0,
  done: 0,
  cancelled: 0,
  ...facts,
});

const job = (id: string, facts: Partial<Job>): Job => ({
  id,
  kind: 'poster',
  state: 'failed',
  progress: 0,
  attempts: 1,
  error: null,
  video_id: null,
  created_at: minutesAgo(9),
  started_at: minutesAgo(5),
  finished_at: null,
  ...facts,
});

const kinds = (...all: JobKindCounts[]) => ({ json: { kinds: all } });
const list = (...jobs: Job[]) => ({ json: { jobs, total: jobs.length, total_pages: 1, page: 1, limit: 20 } });
const failed = job('f', { error: 'The file has no picture.', attempts: 3, finished_at: minutesAgo(4) });

let routes: Record<string, ((body: unknown) => FakeAnswer) | undefined>;
let server: ReturnType<typeof fakeServer>;

beforeEach(() => {
  routes = {};
  server = fakeServer(routes);
});

afterEach(async () => {
  await settle(() => {
    connection.isReachable = true;
  });
  vi.unstubAllGlobals();
});

const appears = (words: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(document.body.textContent).toContain(words);
  });

async function drawJobs(words: string): Promise<HTMLElement> {
  const screen = await draw(<JobsSection />);
  await appears(words);
  return screen;
}

test('10,000 waiting jobs are one line of one card', async () => {
  routes['GET /api/admin/jobs/kinds'] = () => kinds(kindOf('poster', { queued: 10_000 }), kindOf('moon', { done: 3 }));
  const screen = await drawJobs('10,000 waiting');
  expect([...screen.querySelectorAll('h2')].map(({ textContent }) => textContent)).toEqual(['Posters', 'moon']);
  expect(screen.querySelectorAll('li')).toHaveLength(0);
  expect(server.calls).toEqual(['GET /api/admin/jobs/kinds']);
});

test('what runs shows how far it is, and can be cancelled', async () => {
  routes['GET /api/admin/jobs/kinds'] = () => kinds(kindOf('scan', { running: 1 }));
  routes['GET /api/admin/jobs'] = () => list(job('r', { kind: 'scan', state: 'running', progress: 42, attempts: 2 }));
  const screen = await drawJobs('42 %');
  expect(screen.querySelector('[role="progressbar"]')?.getAttribute('aria-valuenow')).toBe('42');
  expect(screen.textContent).toMatch(/Running since .* \(5 minutes ago\), attempt 2/);
  routes['DELETE /api/admin/jobs/r'] = () => ({ status: 204 });
  routes['GET /api/admin/jobs/kinds'] = () => kinds(kindOf('scan', { cancelled: 1 }));
  await press('Cancel: Library scan');
  await appears('1 job cancelled.');
  await appears('Nothing to do');
});

test('what waits is cancelled after a question', async () => {
  routes['GET /api/admin/jobs/kinds'] = () => kinds(kindOf('poster', { queued: 12 }));
  await drawJobs('12 waiting');
  await press('Cancel waiting: Posters');
  expect(document.querySelector('[role="alertdialog"]')?.textContent).toContain(
    'Are you sure you want to cancel 12 waiting jobs of Posters?',
  );
  routes['POST /api/admin/jobs/cancel'] = (body) => ({ json: { success: true, jobs: body ? 12 : 0 } });
  await press('Cancel them');
  await appears('12 jobs cancelled.');
});

test('what failed is listed with its reason, and tried again one by one or all at once', async () => {
  routes['GET /api/admin/jobs/kinds'] = () => kinds(kindOf('poster', { failed: 2 }));
  routes['GET /api/admin/jobs'] = () => list(failed, job('g', { error: null }));
  const screen = await drawJobs('2 failed');
  expect(screen.textContent).not.toContain('The file has no picture.');
  await press('Show failed: Posters');
  await appears('The file has no picture.');
  for (const words of ['It gave no reason.', '3 attempts, the last one 4 minutes ago'])
    expect(screen.textContent).toContain(words);
  routes['POST /api/admin/jobs/f/retry'] = () => ({ status: 202, json: { success: true } });
  routes['GET /api/admin/jobs/kinds'] = () => kinds(kindOf('poster', { failed: 1, queued: 1 }));
  routes['GET /api/admin/jobs'] = () => list(job('g', { error: null }));
  await press('Retry: The file has no picture.');
  await appears('1 waiting, 1 failed');
  expect(screen.textContent).not.toContain('The file has no picture.');
  routes['POST /api/admin/jobs/retry'] = () => ({ json: { success: true, jobs: 1 } });
  routes['GET /api/admin/jobs/kinds'] = () => kinds(kindOf('poster', { queued: 2 }));
  await press('Retry all failed: Posters');
  await appears('1 job will be tried again.');
  await vi.waitFor(async () => {
    await settle();
    expect(screen.querySelector('[aria-label="Failed: Posters"]')).toBeNull();
  });
});

test('a refusal is told in the words of the server', async () => {
  routes['GET /api/admin/jobs/kinds'] = () => kinds(kindOf('poster', { failed: 1 }));
  await drawJobs('1 failed');
  routes['POST /api/admin/jobs/retry'] = () => ({ status: 403, json: { error: 'forbidden', message: 'Not allowed.' } });
  await press('Retry all failed: Posters');
  await appears('Not allowed.');
});

test('there may be no work yet', async () => {
  routes['GET /api/admin/jobs/kinds'] = () => kinds();
  await drawJobs('No work yet.');
});

test('where it cannot be read it says why, and tries again', async () => {
  routes['GET /api/admin/jobs/kinds'] = () => ({ status: 500, json: { error: 'internal', message: 'Out of order.' } });
  await drawJobs('Failed to load jobs: Out of order.');
  routes['GET /api/admin/jobs/kinds'] = () => kinds(kindOf('poster', { done: 1 }));
  await press('Retry');
  await appears('Nothing to do, 1 done');
});

test('without a network it waits, and nothing can be pressed', async () => {
  await drawJobs('Waiting for network');
});

test('offline, nothing can be tried again or cancelled', async () => {
  routes['GET /api/admin/jobs/kinds'] = () => kinds(kindOf('poster', { queued: 1, failed: 1 }));
  await drawJobs('1 failed');
  await settle(() => {
    connection.isReachable = false;
  });
  for (const name of ['Retry all failed: Posters', 'Cancel waiting: Posters']) expect(button(name).disabled).toBe(true);
});
