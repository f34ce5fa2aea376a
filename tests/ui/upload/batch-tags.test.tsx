import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { linkChoice } from '#app/state/link-choice.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import type { Tag } from '#contract/entities/tag.ts';
import { press, settle } from '../draw.tsx';
import { focusedName, pressKey, type } from '../keys.ts';
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

const drawBatch = (create?: ReturnType<typeof standardRoutes>[string]) =>
  drawUpload({
    ...standardRoutes(),
    'GET /api/tags': () => ({ json: { tags, total: tags.length, total_pages: 1, page: 1, limit: 100 } }),
    'POST /api/tags': create,
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

const search = () => settle(() => document.querySelector<HTMLInputElement>('[role="search"] input')?.focus());
const status = () => dialog()?.querySelector('p[role="status"]')?.textContent;

test('a channel that is missing is created under the typed name, and chosen', async () => {
  await drawBatch((body) => {
    tags = [...tags, channel('l', (body as { name: string }).name)];
    return { status: 201, json: { tag: tags[2] } };
  });
  await openChannels();
  await search();
  await type('Lighthouses ');
  await pressKey('Enter');
  await settleLoaded();
  expect(status()).toBe('No channel is called Lighthouses yet.');
  await press('Create "Lighthouses"');
  await settleLoaded();
  expect([status(), focusedName(), box('Lighthouses')?.checked]).toEqual([
    'Lighthouses was created.',
    'Lighthouses',
    true,
  ]);
  expect(asked.slice(-1)).toEqual([['setTags', ['l']]]);
  expect(buttons()).not.toContain('Create "Lighthouses"');
});

test.each([
  ['AURORA', 'other capitals'],
  ['Ａｕｒｏｒａ', 'full-width letters'],
  ['sourdough', 'another name of the channel'],
])('no second channel is offered for %s: %s', async (text) => {
  tags = [channel('a', 'Aurora'), { ...channel('b', 'Baking'), aliases: ['Sourdough'] }];
  await drawBatch();
  await openChannels();
  await search();
  await type(text);
  await pressKey('Enter');
  await settleLoaded();
  expect([buttons().filter((name) => name?.startsWith('Create')), status()]).toEqual([[], '']);
});

test('a name that is refused is told at the entry, and nothing is chosen', async () => {
  const message = 'A tag with this name already exists';
  await drawBatch(() => ({ status: 409, json: { error: 'conflict', message } }));
  await openChannels();
  await search();
  await type('x'.repeat(101));
  await pressKey('Enter');
  await settleLoaded();
  await press(`Create "${'x'.repeat(101)}"`);
  const alert = () => dialog()?.querySelector('[role="alert"]')?.textContent;
  expect(alert()).toBe('Failed to create tag: Tag name must be at most 100 characters');
  await search();
  await type('Lighthouses');
  await pressKey('Enter');
  await settleLoaded();
  await press('Create "Lighthouses"');
  await settleLoaded();
  expect(alert()).toBe(`Failed to create tag: ${message}`);
  expect(asked.filter(([name]) => name === 'setTags')).toEqual([]);
});
