import { useState } from 'react';
import { afterAll, afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import FirstRunDialog from '#app/features/admin/first-run-dialog.tsx';
import { watchRemote } from '#app/shell/remote.ts';
import { connection } from '#app/state/connection.ts';
import { resetSession, session } from '#app/state/session.ts';
import type { FolderList, SiteSetting, SiteSettings } from '#contract/entities/site.ts';
import type { SettingName } from '#contract/rules/site-settings.ts';
import { settingLabels } from '#contract/rules/site-settings.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { focusedName, pressKeys, type } from '../keys.ts';
import { withRemote } from '../with-remote.ts';
import type { FakeAnswer } from './fake-server.ts';
import { fakeServer } from './fake-server.ts';

withRemote(watchRemote);

let settings: SiteSettings;
let sent: unknown[];
let calls: string[];
let routes: Record<string, ((body: unknown) => FakeAnswer) | undefined>;
let closings: number;

const disk: Record<string, FolderList> = {
  '': { path: '/srv', parent: null, folders: [{ name: 'films', path: '/srv/films' }], is_more: true },
  '/srv/films': { path: '/srv/films', parent: '/srv', folders: [], is_more: false },
};

function take(body: unknown): FakeAnswer {
  sent.push((body as { values: unknown }).values);
  const { LIBRARY_DIRS: folders } = (body as { values: Record<string, string | undefined> }).values;
  if (folders !== undefined)
    settings = { ...settings, folders: folders.split(':').map((folder) => ({ folder, state: 'readable', videos: 4 })) };
  return { json: settings };
}

const setting = (name: SettingName): SiteSetting => ({ name, value: null, is_set: false, source: 'default' });

function put(name: SettingName, facts: Partial<SiteSetting>): void {
  const changed = settings.settings.map((one) => (one.name === name ? { ...one, ...facts } : one));
  settings = { ...settings, settings: changed };
}

beforeEach(() => {
  settings = { settings: (Object.keys(settingLabels) as SettingName[]).map(setting), folders: [], backups: [] };
  sent = [];
  closings = 0;
  let asked = '';
  routes = {
    'GET /api/admin/settings': () => ({ json: settings }),
    'PUT /api/admin/settings': take,
    'DELETE /api/admin/first-run': () => ({ status: 204 }),
    'GET /api/admin/about': () => ({ json: { addresses: ['http://localhost:4400', 'http://192.168.1.5:4400'] } }),
    'GET /api/admin/folders': () => ({ json: disk[asked] }),
  };
  ({ calls } = fakeServer(routes));
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (address: string, init: RequestInit) => {
    asked = new URL(address, 'http://localhost').searchParams.get('path') ?? '';
    return fetch(address, init);
  });
});

afterEach(async () => {
  await settle(() => {
    connection.isReachable = true;
  });
});

// Each test still tells the server when its dialog goes.
afterAll(() => void vi.unstubAllGlobals());

const appears = (words: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(document.body.textContent).toContain(words);
  });

/** Each choice is a button with a sentence below its name. */
const choose = (label: string) =>
  settle(() => [...document.querySelectorAll('button')].find((one) => one.textContent?.startsWith(label))?.click());

function Opened() {
  const [isOpen, setOpen] = useState(true);
  const close = () => {
    closings += 1;
    setOpen(false);
  };
  return isOpen && <FirstRunDialog onClose={close} />;
}

async function drawFirstRun(words: string): Promise<void> {
  await draw(<Opened />);
  await appears(words);
}

test('an administrator chooses a folder, goes on, and sees the addresses of the site', async () => {
  await drawFirstRun('Step 1 of 3');
  await press('Choose a Folder');
  await appears('There are more folders than these.');
  await press('films');
  await appears('It has no folders in it.');
  await press('Use This Folder');
  await appears('Found 4 videos');
  expect(sent).toEqual([{ LIBRARY_DIRS: '/srv/films' }]);
  await press('Next');
  await appears('Step 2 of 3');
  await press('Next');
  await appears('http://192.168.1.5:4400');
  expect(document.querySelector('[role="img"]')?.getAttribute('aria-label')).toBe(
    'QR code for http://192.168.1.5:4400',
  );
  expect(sent).toHaveLength(1);
});

test('every step can be skipped, and Back leads to the one before', async () => {
  await drawFirstRun('Step 1 of 3');
  await press('Skip');
  await appears('Step 2 of 3');
  await press('Skip');
  await appears('Step 3 of 3');
  await press('Back');
  await appears('Step 2 of 3');
  await pressKeys('Escape');
  await appears('Step 1 of 3');
  expect([sent, closings]).toEqual([[], 0]);
});

test('a password is asked for where it is chosen, and stored with open accounts', async () => {
  put('LIBRARY_DIRS', { source: 'environment' });
  await drawFirstRun('Step 1 of 2');
  await choose('With a password');
  await press('Next');
  await appears('Choose a password');
  await settle(() => document.querySelector('input')?.focus());
  await type('open sesame');
  await press('Next');
  await appears('Step 2 of 2');
  expect(sent).toEqual([{ SITE_PASSWORD: 'open sesame', REGISTRATION: null }]);
});

test('another password leaves accounts as they are', async () => {
  put('LIBRARY_DIRS', { source: 'environment' });
  put('SITE_PASSWORD', { is_set: true, source: 'database' });
  put('REGISTRATION', { value: 'closed', is_set: true, source: 'database' });
  await drawFirstRun('Step 1 of 2');
  await settle(() => document.querySelector('input')?.focus());
  await type('open sesame');
  await press('Next');
  await appears('Step 2 of 2');
  expect(sent).toEqual([{ SITE_PASSWORD: 'open sesame' }]);
});

test('accounts by invitation close registration', async () => {
  put('LIBRARY_DIRS', { source: 'environment' });
  await drawFirstRun('Who may come in');
  await choose('Accounts by invitation');
  await press('Next');
  await appears('Step 2 of 2');
  expect(sent).toEqual([{ SITE_PASSWORD: null, REGISTRATION: 'closed' }]);
});

test('what holds already is what is chosen', async () => {
  put('LIBRARY_DIRS', { source: 'environment' });
  put('REGISTRATION', { value: 'closed', source: 'database' });
  await drawFirstRun('Step 1 of 2');
  expect(document.querySelector('[aria-pressed="true"]')?.textContent).toContain('Accounts by invitation');
});

test('a refused change says why and stays at its step', async () => {
  put('LIBRARY_DIRS', { source: 'environment' });
  routes['PUT /api/admin/settings'] = () => ({
    status: 409,
    json: { error: 'conflict', message: 'Somebody was faster.' },
  });
  await drawFirstRun('Who may come in');
  await choose('Accounts by invitation');
  await press('Next');
  await appears('Somebody was faster.');
  expect(document.body.textContent).toContain('Step 1 of 2');
});

test('steps that the operator has settled are left out', async () => {
  put('REGISTRATION', { source: 'environment' });
  await drawFirstRun('Step 1 of 2');
  await press('Skip');
  await appears('Open one of these addresses');
  await press('Start Watching');
  expect(closings).toBe(1);
});

test('the server is told once it is closed', async () => {
  await drawFirstRun('Step 1 of 3');
  expect(calls).not.toContain('DELETE /api/admin/first-run');
  await press('Close');
  await vi.waitFor(() => expect(calls).toContain('DELETE /api/admin/first-run'));
});

test('it is closed when somebody else is here, for whom it is not ended', async () => {
  onTestFinished(() => settle(resetSession));
  await settle(() => Object.assign(session, { phase: 'known', user: person('admin') }));
  await drawFirstRun('Step 1 of 3');
  await settle(() => Object.assign(session, { user: person('admin', { id: 'user-2' }) }));
  await settle();
  expect([document.querySelector('[role="dialog"]'), calls.filter((call) => call.startsWith('DELETE'))]).toEqual([
    null,
    [],
  ]);
});

test('where nothing may be looked into, it says so, and a folder is named by its path', async () => {
  disk.nowhere = { path: '', parent: null, folders: [], is_more: false };
  routes['GET /api/admin/folders'] = () => ({ json: disk.nowhere });
  await drawFirstRun('Step 1 of 3');
  await press('Choose a Folder');
  await appears('The operator has named no folders to look into (BROWSE_ROOTS).');
});

test('it says why settings or folders could not be loaded, and loads them again', async () => {
  const { 'GET /api/admin/settings': read, 'GET /api/admin/folders': look } = routes;
  const broken = () => ({ status: 500, json: { error: 'internal', message: 'Broken' } });
  Object.assign(routes, { 'GET /api/admin/settings': broken, 'GET /api/admin/folders': broken });
  await drawFirstRun('Failed to load settings: Broken');
  Object.assign(routes, { 'GET /api/admin/settings': read });
  await press('Retry');
  await appears('Step 1 of 3');
  await press('Choose a Folder');
  await appears('Failed to load folders: Broken');
  Object.assign(routes, { 'GET /api/admin/folders': look });
  await press('Retry');
  await appears('films');
});

test('without a network it waits, and changes nothing', async () => {
  const { 'GET /api/admin/settings': read } = routes;
  Object.assign(routes, { 'GET /api/admin/settings': undefined });
  await drawFirstRun('Waiting for network');
  Object.assign(routes, { 'GET /api/admin/settings': read });
  await settle(() => {
    connection.isReachable = false;
  });
  await draw(<FirstRunDialog onClose={() => {}} />);
  await appears('Needs a connection');
  expect(button('Choose a Folder').disabled).toBe(true);
});

test('with a remote the focus is on what comes next in each step', async () => {
  document.documentElement.dataset.form = 'tv';
  await drawFirstRun('Step 1 of 3');
  await vi.waitFor(() => expect(focusedName()).toBe('Choose a Folder'));
  await pressKeys('Enter');
  await appears('films');
  await vi.waitFor(() => expect(focusedName()).toBe('films'));
  await pressKeys('Enter');
  await appears('It has no folders in it.');
  await vi.waitFor(() => expect(focusedName()).toBe('Use This Folder'));
});
