import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { controls } from '#app/features/feed/controls/controls-store.ts';
import { resetAlerts, uploadAlerts } from '#app/features/upload/upload-store.ts';
import { BottomBar } from '#app/shell/menu/bottom-bar.tsx';
import { uploadNotice } from '#app/shell/menu/menu-entries.tsx';
import { SideMenu } from '#app/shell/menu/side-menu.tsx';
import { arrivals, UploadIndicator } from '#app/shell/upload-indicator.tsx';

import { clearAddressCodes, navigation, openView, resetNavigation, startNavigation } from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import type { UploadStatus } from '#app/state/uploads/uploads-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import type { ScreenForm } from '#contract/rules/settings.ts';
import { rejectedFiles } from '#contract/rules/upload-file.ts';
import { newBatch } from '#device/uploads/queued-upload.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { completed, failed, uploading, uploadRow, waiting } from '#tests/unit/app/shell/uploads/upload-rows.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { draw, press, settle } from '../../draw.tsx';

vi.mock('#app/features/feed/feed-screen.tsx', () => ({ FeedScreen: () => null }));

const set = (statuses: UploadStatus[], secondsLeft: number | null = 170) =>
  settle(() => {
    Object.assign(uploads, {
      rows: statuses.map((status, at) => uploadRow(status, { id: `upload-${at}` })),
      secondsLeft,
    });
  });

const pill = () => document.querySelector('aside button');
const spoken = () => document.querySelector('[role="status"]')?.textContent;

async function drawAt(form: ScreenForm, view: 'feed' | 'channels' | 'upload'): Promise<void> {
  document.documentElement.dataset.form = form;
  if (view !== 'feed') openView(view);
  await draw(<UploadIndicator />);
}

beforeEach(() => {
  session.user = person('admin');
});

afterEach(() =>
  settle(() => {
    Object.assign(uploads, { rows: [], shared: [], secondsLeft: null });
    Object.assign(uploadNotice, { count: 0, words: '', tone: 'plain' });
    controls.active = null;
    arrivals.isShareLost = false;
    resetAlerts();
    clearAddressCodes('share');
    delete document.documentElement.dataset.form;
    resetNavigation();
    resetSession();
  }),
);

describe('the pill', () => {
  test('says beside every view how many files move and how long they take, and opens Upload', async () => {
    await drawAt('desktop', 'channels');
    expect(pill()).toBeNull();
    await set([uploading, waiting('turn')]);
    expect(pill()?.textContent).toBe('2 files, 3 min left');
    await press('2 files, 3 min left');
    expect(navigation.view).toBe('upload');
    await settle();
    expect(pill()).toBeNull();
  });

  test('is amber without a network, and red where a file has failed', async () => {
    await drawAt('tablet', 'channels');
    await set([waiting('network')]);
    expect([pill()?.textContent, pill()?.className.includes('warn')]).toEqual(['1 file waits for the network', true]);
    await set([failed]);
    expect([pill()?.textContent, pill()?.className.includes('danger')]).toEqual(['1 file failed', true]);
  });

  test('goes when everything is uploaded', async () => {
    await drawAt('desktop', 'channels');
    await set([uploading]);
    await set([completed]);
    expect(pill()).toBeNull();
  });

  test('comes and goes with the controls of the feed, but not from under the focus', async () => {
    await drawAt('desktop', 'feed');
    await set([uploading]);
    const show = (active: typeof controls.active) => settle(() => void Object.assign(controls, { active }));
    expect(pill()).toBeNull();
    await show('top-left');
    expect(pill()?.textContent).toBe('1 file, 3 min left');
    await settle(() => (pill() as HTMLElement).focus());
    await show(null);
    expect(pill()).not.toBeNull();
    await settle(() => (pill() as HTMLElement).blur());
    expect(pill()).toBeNull();
  });

  test.each<ScreenForm>(['phone', 'tv'])('is not drawn on a %s, whose menu has it', async (form) => {
    await drawAt(form, 'channels');
    await set([uploading]);
    expect(pill()).toBeNull();
  });
});

test('screen readers hear the start, a failure and the end, and nothing of what is between', async () => {
  await drawAt('phone', 'channels');
  const heard = new Set<string>();
  for (const statuses of [
    [waiting('turn'), waiting('turn')],
    [uploading, waiting('turn')],
    [waiting('network'), waiting('network')],
    [uploading, uploading],
    [completed, { kind: 'processing' }],
    [completed, completed],
  ] satisfies UploadStatus[][]) {
    await set(statuses);
    heard.add(spoken() ?? '');
  }
  expect([...heard]).toEqual(['', 'Uploading 2 files.', 'All 2 videos are uploaded.']);
});

describe('what was shared into the app', () => {
  const arrive = async (id: string) => {
    history.replaceState(null, '', `/?view=upload&share=${id}`);
    startNavigation();
    await draw(<UploadIndicator />);
    for (let turn = 0; turn < 20; turn += 1) await settle();
  };

  test('is said to be lost where the device had no room, until that is dismissed', async () => {
    await arrive('0198-lost');
    expect(document.body.textContent).toContain('The shared files could not be kept on this device.');
    await press('Dismiss');
    expect(document.body.textContent).not.toContain('The shared files');
  });

  test('is refused in one alert of Upload, once, where it belongs to whoever is signed in', async () => {
    const rejections = [{ filename: 'notes.txt', reason: 'Unsupported format' }];
    await uploadStore.add(newBatch({ id: '0198-text', userId: 'user-1', createdAt: 0, rejections }), []);
    await arrive('0198-text');
    expect(uploadAlerts.waiting.map(({ sentence }) => sentence)).toEqual([rejectedFiles(rejections)]);
    expect((await uploadStore.read('0198-text'))?.batch).toMatchObject({ rejections: [], state: 'over' });
    await uploadStore.removeBatch('0198-text');
  });

  test('is not said to be lost where it is stored', async () => {
    const batch = newBatch({ id: '0198-kept', userId: null, createdAt: 0 });
    await uploadStore.add(batch, []);
    await arrive('0198-kept');
    expect(document.body.textContent).not.toContain('The shared files');
    await uploadStore.removeBatch('0198-kept');
  });
});

test('the tab of a phone counts what is not uploaded, in words for screen readers', async () => {
  await draw([<UploadIndicator key="indicator" />, <BottomBar key="bar" />]);
  const tab = () =>
    [...document.querySelectorAll('nav button')].find(({ textContent }) => textContent?.includes('Upload'));
  expect(tab()?.textContent).toBe('Upload');
  await set([uploading, waiting('turn'), completed]);
  expect(tab()?.querySelector('[aria-hidden="true"]:not(svg)')?.textContent).toBe('2');
  expect(tab()?.querySelector('.visually-hidden')?.textContent).toBe(', 2 files, 3 min left');
  await set([...new Array<UploadStatus>(120).fill(waiting('paused'))]);
  expect(tab()?.querySelector('[aria-hidden="true"]:not(svg)')?.textContent).toBe('99+');
});

test.each<ScreenForm>(['desktop', 'tv'])('the side menu of a %s says it in the entry', async (form) => {
  document.documentElement.dataset.form = form;
  await draw([<UploadIndicator key="indicator" />, <SideMenu key="menu" />]);
  const entry = () =>
    [...document.querySelectorAll('nav button')].find(({ textContent }) => textContent?.includes('Upload'));
  expect(entry()?.textContent).toBe('Upload');
  await set([waiting('network')]);
  expect(entry()?.textContent).toBe('Upload1 file waits for the network');
});
