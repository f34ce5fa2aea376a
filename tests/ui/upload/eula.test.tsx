import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { recovered } from '#app/platform/link.ts';
import { watchRemote } from '#app/shell/remote.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { lateFailure } from '#app/ui/messages.tsx';
import { button, press, settle } from '../draw.tsx';
import { focusedName, pressKey } from '../keys.ts';
import { withRemote } from '../with-remote.ts';
import type { Routes } from './draw-upload.tsx';
import {
  acceptance,
  agreement,
  buttons,
  dialog,
  drawUpload,
  leaveUpload,
  settleLoaded,
  standardRoutes,
} from './draw-upload.tsx';
import { asked, recordingQueue, resetUploads, row } from './recording-queue.ts';

vi.mock('#app/state/uploads/load-upload-queue.ts', () => ({
  withQueue: async (action: (queue: typeof recordingQueue) => Promise<unknown>) => action(recordingQueue),
}));

withRemote(watchRemote);

const sentence = 'Please read and accept the End-User License Agreement before you upload.';
let sent: unknown[];
/** Pixels of the text, in a box of 100. */
let textHeight: number;

beforeEach(() => {
  resetUploads();
  sent = [];
  textHeight = 500;
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockImplementation(() => textHeight);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(100);
});
afterEach(leaveUpload);

const routes = (facts: Routes = {}): Routes => ({
  ...standardRoutes(),
  'GET /api/users/profile': () => acceptance(false),
  'POST /api/users/eula/accept': (body: unknown) => {
    sent.push(body);
    return { json: { success: true, eula_accepted: true, version: '1.0' } };
  },
  ...facts,
});
const drawEula = async (facts: Routes = {}) => {
  const drawn = await drawUpload(routes(facts));
  await settleLoaded();
  return drawn;
};
const text = () => document.querySelector<HTMLElement>('[role="document"]');
const scrollTo = (top: number) =>
  settle(() => {
    const box = text();
    if (!box) return;
    box.scrollTop = top;
    box.dispatchEvent(new Event('scroll'));
  });
const box = () => document.querySelector<HTMLInputElement>('[role="dialog"] input[type="checkbox"]');
const tick = () => settle(() => box()?.click());

test('a person who has not accepted the agreement gets it when Upload is opened', async () => {
  await drawEula();
  expect(dialog()?.querySelector('h2')?.textContent).toBe('End-User License Agreement');
  expect(dialog()?.textContent).toContain('Version 1.0');
  expect(text()?.textContent).toContain('Videos that are yours.');
  expect(text()?.textContent).not.toContain('End-User License Agreement');
});

test('it is not opened for somebody who has', async () => {
  await drawUpload();
  expect(dialog()).toBe(null);
});

test('it is opened when the profile could not be read', async () => {
  await drawEula({ 'GET /api/users/profile': () => ({ status: 500, json: {} }) });
  expect(dialog()?.querySelector('h2')?.textContent).toBe('End-User License Agreement');
});

test('it is accepted once its end was scrolled to, within 10 px, and the box was ticked', async () => {
  await drawEula();
  expect([button('Scroll to Bottom to Accept').disabled, box()?.disabled]).toEqual([true, true]);
  await scrollTo(389);
  expect(box()?.disabled).toBe(true);
  await scrollTo(390);
  expect([button('Accept').disabled, box()?.disabled]).toEqual([true, false]);
  await scrollTo(0);
  expect(box()?.disabled).toBe(false);
  await tick();
  await press('Accept');
  await settle();
  expect(sent).toEqual([{ version: '1.0' }]);
  expect(dialog()?.textContent).toContain('EULA accepted successfully! You can now upload videos.');
  await press('OK');
  expect([dialog(), document.body.textContent?.includes(sentence)]).toEqual([null, false]);
});

test('a text that needs no scrolling can be accepted at once', async () => {
  textHeight = 100;
  await drawEula();
  await tick();
  expect(button('Accept').disabled).toBe(false);
});

test('declining closes it, and says how to get it again', async () => {
  await drawEula();
  await press('Decline');
  expect(dialog()?.textContent).toContain(
    'You must accept the EULA to upload videos. You can access the EULA again by refreshing the page.',
  );
  await press('OK');
  expect(dialog()).toBe(null);
  expect(sent).toEqual([]);
});

test('without it nothing is uploaded: banner and button open it again', async () => {
  const { screen } = await drawEula();
  await press('Close');
  expect(dialog()).toBe(null);
  expect(screen.textContent).toContain(sentence);
  await press('Read and accept');
  await settleLoaded();
  expect(dialog()).not.toBe(null);
  await press('Close');
  await settle(() => {
    uploads.rows = [row('a.mp4')];
  });
  expect(buttons()).not.toContain('Upload 1 file');
  await press('Accept EULA to Upload');
  await settleLoaded();
  expect(dialog()?.querySelector('h2')?.textContent).toBe('End-User License Agreement');
  expect(asked.map(([name]) => name)).not.toContain('start');
});

test('an acceptance that fails is said, and can be tried again', async () => {
  await drawEula({ 'POST /api/users/eula/accept': () => ({ status: 500, json: {} }) });
  await scrollTo(400);
  await tick();
  await press('Accept');
  await settle();
  expect(document.querySelector('[role="alert"]')?.textContent).toBe('Failed to accept EULA. Please try again.');
  expect(button('Accept').disabled).toBe(false);
});

test('a text that cannot be loaded is said and asked for again; until then nothing can be accepted', async () => {
  let isGone = true;
  await drawEula({
    'GET /eula.md': () => (isGone ? { status: 500, text: 'no' } : { text: agreement }),
  });
  expect(document.querySelector('[role="alert"]')?.textContent).toContain('Failed to load the agreement: ');
  expect(button('Scroll to Bottom to Accept').disabled).toBe(true);
  isGone = false;
  await press('Retry');
  await settleLoaded();
  expect(text()?.textContent).toContain('Videos that are yours.');
});

test('without a network the text waits for it', async () => {
  await drawEula({ 'GET /eula.md': undefined });
  expect(text()?.textContent).toContain('Waiting for network');
});

test('a profile that waited for the network is read when it is back', async () => {
  const profiles = vi.fn(() => acceptance(true));
  const all = routes({ 'GET /api/users/profile': undefined });
  await drawUpload(all, 'basic', { eula_accepted: true });
  expect(dialog()).toBe(null);
  Object.assign(all, { 'GET /api/users/profile': profiles });
  await settle(() => recovered.emit());
  await settle();
  expect(profiles).toHaveBeenCalledOnce();
});

test('the keys of a remote start at the text, scroll it to its end, and go on to the box', async () => {
  document.documentElement.dataset.form = 'tv';
  await drawEula();
  expect(focusedName()).toBe('End-User License Agreement');
  const element = text();
  if (element) element.style.overflowY = 'auto';
  await pressKey('ArrowDown');
  expect(focusedName()).toBe('End-User License Agreement');
  await scrollTo(400);
  await pressKey('ArrowDown');
  expect(focusedName()).toBe('I have read and understood the terms and conditions');
});

test('an acceptance that fails after the agreement was closed is told over the view, and not at the next opening', async () => {
  await drawEula({ 'POST /api/users/eula/accept': () => ({ status: 500, json: {} }) });
  await scrollTo(400);
  await tick();
  const { fetch } = globalThis;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  vi.stubGlobal('fetch', (given: string, init: RequestInit) => held.then(() => fetch(given, init)));
  await press('Accept');
  await press('Close');
  release();
  await vi.waitFor(() => expect(lateFailure.sentence).toBe('Failed to accept EULA. Please try again.'));
  lateFailure.sentence = null;
  await press('Read and accept');
  await settleLoaded();
  expect(dialog()?.querySelector('[role="alert"]')).toBeNull();
});
