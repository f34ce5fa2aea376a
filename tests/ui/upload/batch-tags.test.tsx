import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { linkChoice } from '#app/state/link-choice.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import type { Tag } from '#contract/entities/tag.ts';
import { press, settle } from '../draw.tsx';
import { type } from '../keys.ts';
import { buttons, dialog, drawUpload, leaveUpload, settleLoaded, standardRoutes } from './draw-upload.tsx';
import { asked, recordingQueue, resetUploads } from './recording-queue.ts';

vi.mock('#app/state/uploads/load-upload-queue.ts', () => ({
  withQueue: async (action: (queue: typeof recordingQueue) => Promise<unknown>) => action(recordingQueue),
}));

const channel = (id: string, name: string): Tag => ({
  id,
  name,
  description: '',
  color: '#112233',
  video_count: 3,
  created_at: '2026-11-21T12:00:00.000Z',
  active: true,
  aliases: [],
});
let tags: Tag[];

beforeEach(() => {
  resetUploads();
  tags = [channel('a', 'Aurora'), channel('b', 'Baking')];
});
afterEach(async () => {
  await settle(resetSiteConfig);
  await leaveUpload();
});

const drawBatch = () =>
  drawUpload({
    ...standardRoutes(),
    'GET /api/tags': () => ({ json: { tags, total: tags.length, total_pages: 1, page: 1, limit: 100 } }),
  });
const openChannels = async () => {
  await press('Choose channels');
  await settleLoaded();
};
const box = (name: string) => document.querySelector<HTMLInputElement>(`input[aria-label="${name}"]`);
const toggle = (name: string) => settle(() => box(name)?.click());

test('channels are chosen for all videos of the batch, each press at once', async () => {
  const { screen } = await drawBatch();
  expect(screen.textContent).toContain('In no channel yet.');
  await openChannels();
  expect(dialog()?.querySelector('h2')?.textContent).toBe('Channels of these videos');
  await toggle('Baking');
  expect(asked.slice(-1)).toEqual([['setTags', ['b']]]);
  expect(box('Baking')?.checked).toBe(true);
  await toggle('Aurora');
  expect(asked.slice(-1)).toEqual([['setTags', ['b', 'a']]]);
  await press('Done');
  expect(dialog()).toBe(null);
  expect(screen.textContent).toContain('Channels: Baking, Aurora');
  await openChannels();
  await toggle('Baking');
  expect(asked.slice(-1)).toEqual([['setTags', ['a']]]);
});

test('channels of a batch from before are counted where their names are not known', async () => {
  uploads.tagIds = ['x', 'y'];
  const { screen } = await drawBatch();
  expect(screen.textContent).toContain('Channels: 2 chosen');
});

test('a search without a match, and a site without channels, say so', async () => {
  tags = [];
  await drawBatch();
  await openChannels();
  expect(dialog()?.textContent).toContain('No channels available');
  await settle(() => document.querySelector<HTMLInputElement>('[role="search"] input')?.focus());
  await type('x');
  expect(dialog()?.textContent).toContain('No channels match your search');
});

test('where the browser knows what kind of link there is, uploads can wait for Wi-Fi', async () => {
  await drawBatch();
  expect(box('Wi-Fi only')).toBe(null);
  document.body.innerHTML = '';
  vi.stubGlobal('navigator', { userAgent: '', maxTouchPoints: 0, connection: { type: 'cellular' } });
  await drawBatch();
  await toggle('Wi-Fi only');
  expect([box('Wi-Fi only')?.checked, linkChoice.uploads]).toEqual([true, true]);
  await toggle('Wi-Fi only');
  expect(linkChoice.uploads).toBe(false);
});

test('where administrators alone may tag, nobody else chooses channels', async () => {
  siteConfig.isTagEditingOpen = false;
  await drawBatch();
  expect(buttons()).not.toContain('Choose channels');
});
