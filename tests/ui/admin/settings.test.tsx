import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SettingsSection } from '#app/features/admin/settings-section.tsx';
import { watchRemote } from '#app/shell/remote.ts';
import { connection } from '#app/state/connection.ts';
import type { SiteSetting, SiteSettings } from '#contract/entities/site.ts';
import type { SettingName } from '#contract/rules/site-settings.ts';
import { settingLabels } from '#contract/rules/site-settings.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { focusedName, pressKeys, type } from '../keys.ts';
import { withRemote } from '../with-remote.ts';
import type { FakeAnswer } from './fake-server.ts';
import { fakeServer } from './fake-server.ts';

withRemote(watchRemote);

type Values = Record<string, string | null>;

let settings: SiteSetting[];
let folders: SiteSettings['folders'];
let sent: Values[];
/** The folders that each sent list of folders was made from. */
let knownFolders: string[];
let routes: Record<string, ((body: unknown) => FakeAnswer) | undefined>;

const reply = () => ({ json: { settings, folders, backups: [] } });

/** Takes what is sent as the server does. */
function take(body: unknown): FakeAnswer {
  const { values, known_folders } = body as { values: Values; known_folders?: string };
  sent.push(values);
  if (known_folders !== undefined) knownFolders.push(known_folders);
  settings = settings.map((setting) => {
    const value = values[setting.name];
    if (value === undefined) return setting;
    const isSecret = setting.name.endsWith('SECRET') || setting.name === 'SITE_PASSWORD';
    return {
      ...setting,
      value: isSecret ? null : value,
      is_set: value !== null,
      source: value === null ? 'default' : 'database',
    };
  });
  return reply();
}

beforeEach(() => {
  settings = (Object.keys(settingLabels) as SettingName[]).map((name) => ({
    name,
    value: null,
    is_set: false,
    source: 'default',
  }));
  put('REGISTRATION', { value: 'open' });
  put('UPLOADS', { value: 'admins', is_set: true, source: 'environment' });
  folders = [{ folder: '/srv/films', state: 'readable', videos: 12 }];
  sent = [];
  knownFolders = [];
  routes = { 'GET /api/admin/settings': reply, 'PUT /api/admin/settings': take };
  fakeServer(routes);
});

afterEach(async () => {
  await settle(() => {
    connection.isReachable = true;
  });
  vi.unstubAllGlobals();
});

function put(name: SettingName, facts: Partial<SiteSetting>): void {
  settings = settings.map((setting) => (setting.name === name ? { ...setting, ...facts } : setting));
}

async function drawSettings(words = 'A change holds at once'): Promise<HTMLElement> {
  const screen = await draw(<SettingsSection />);
  await appears(words);
  return screen;
}

const appears = (words: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(document.body.textContent).toContain(words);
  });

const field = (label: string) => {
  const labels = [...document.querySelectorAll('label')];
  const id = labels.find(({ textContent }) => textContent === label)?.htmlFor ?? '';
  return document.getElementById(id) as HTMLInputElement;
};

async function fill(label: string, text: string): Promise<void> {
  await settle(() => field(label).focus());
  await type(text);
}

test('what the environment sets is shown, and cannot be changed', async () => {
  await drawSettings();
  expect([field('Who may upload').value, field('Who may upload').disabled]).toEqual(['admins', true]);
  expect(document.body.textContent).toContain('Set by the environment');
  expect(field('New accounts').disabled).toBe(false);
});

test('only what was changed on a card is sent, and it says that it holds', async () => {
  await drawSettings();
  await fill('Public address', 'https://videos.example.org');
  await press('Save Address');
  await appears('Saved. It holds now.');
  expect(sent).toEqual([{ PUBLIC_URL: 'https://videos.example.org' }]);
  await fill('Public address', '');
  await press('Save Address');
  await vi.waitFor(() => expect(sent[sent.length - 1]).toEqual({ PUBLIC_URL: null }));
});

test('a card shows what was changed elsewhere, and keeps what was typed into it', async () => {
  await drawSettings();
  await fill('Public address', 'https://videos.example.org');
  await fill('Hour of backups', '4');
  put('REGISTRATION', { value: 'closed', is_set: true, source: 'database' });
  put('BACKUP_DIR', { value: '/srv/backups', is_set: true, source: 'database' });
  put('BACKUP_HOUR', { value: '2', is_set: true, source: 'database' });
  await press('Save Address');
  await appears('Saved. It holds now.');
  expect([field('New accounts').value, field('Backup folder').value]).toEqual(['closed', '/srv/backups']);
  expect(field('Hour of backups').value).toBe('4');
  await press('Save Backup');
  await vi.waitFor(() => expect(sent[sent.length - 1]).toEqual({ BACKUP_HOUR: '4' }));
});

test('a password is sent once, is never shown, stays when its field is empty, and can be removed', async () => {
  await drawSettings();
  await fill('Site password', 'open sesame');
  await press('Save Access');
  await appears('One is set. It is never shown');
  expect(field('Site password').value).toBe('');
  await press('Save Access');
  await vi.waitFor(() => expect(sent).toEqual([{ SITE_PASSWORD: 'open sesame' }, {}]));
  await press('Remove Password');
  await appears('None is set: the site is open');
  expect(sent[sent.length - 1]).toEqual({ SITE_PASSWORD: null });
});

test('a text can be looked at as viewers will see it', async () => {
  put('WHATS_NEW', { value: '# Rain *all* week', is_set: true, source: 'database' });
  put('AGREEMENT', { value: 'Be kind.', is_set: true, source: 'file' });
  await drawSettings('Set by a file on the server');
  expect(field('Agreement').disabled).toBe(true);
  await press("Preview: What's New");
  await vi.waitFor(async () => {
    await settle();
    expect(document.querySelector('section[aria-label="Preview of What\'s New"] em')?.textContent).toBe('all');
  });
  await press("Hide Preview: What's New");
  expect(document.querySelector('section[aria-label^="Preview"]')).toBeNull();
});

test('a refused value says why at its field, which has the focus', async () => {
  routes['PUT /api/admin/settings'] = () => ({
    status: 400,
    json: {
      error: 'validation_failed',
      message: 'Nothing can be written into /none',
      details: [{ field: 'BACKUP_DIR', message: 'Nothing can be written into /none' }],
    },
  });
  await drawSettings();
  await fill('Backup folder', '/none');
  await press('Save Backup');
  await appears('Nothing can be written into /none');
  expect(document.activeElement).toBe(field('Backup folder'));
  expect(field('Backup folder').value).toBe('/none');
});

test('a folder is added to the others, says what was found, and leaves after a question', async () => {
  await drawSettings('Found 12 videos');
  await fill('New folder', 'a:b');
  await press('Add Folder');
  await appears('The name of a folder cannot have a colon here');
  await fill('New folder', '/mnt/clips');
  await press('Add Folder');
  await vi.waitFor(() => expect(sent).toEqual([{ LIBRARY_DIRS: '/srv/films:/mnt/clips' }]));
  await press('Remove /srv/films');
  await appears('take /srv/films out of the library');
  await press('Remove Folder');
  await vi.waitFor(() => expect(sent[sent.length - 1]).toEqual({ LIBRARY_DIRS: null }));
});

test('folders that somebody else has added or removed meanwhile stay added or removed', async () => {
  await drawSettings('Found 12 videos');
  folders = [{ folder: '/srv/theirs', state: 'readable', videos: 3 }];
  await fill('New folder', '/mnt/clips');
  await press('Add Folder');
  await vi.waitFor(() => expect(sent).toEqual([{ LIBRARY_DIRS: '/srv/theirs:/mnt/clips' }]));
  await press('Remove /srv/theirs');
  folders = [...folders, { folder: '/srv/more', state: 'readable', videos: 1 }];
  await press('Remove Folder');
  await vi.waitFor(() => expect(sent[sent.length - 1]).toEqual({ LIBRARY_DIRS: '/srv/more' }));
  expect(knownFolders).toEqual(['/srv/theirs', '/srv/theirs:/srv/more']);
});

test('folders that are not there or not readable say so', async () => {
  folders = [
    { folder: '/mnt/gone', state: 'missing', videos: 0 },
    { folder: '/mnt/shut', state: 'unreadable', videos: 0 },
  ];
  const screen = await drawSettings('Not there');
  expect(screen.textContent).toContain('Not readable');
});

test.each([
  [{ encoder: 'h264_vaapi', is_hardware: true }, 'Hardware was found: h264_vaapi'],
  [{ encoder: 'libx264', is_hardware: false }, 'No hardware was found: libx264 encodes.'],
  [{ encoder: null, is_hardware: false }, 'No ffmpeg works here: nothing is encoded.'],
])('what encodes here is told: %j', async (found, words) => {
  routes['GET /api/admin/encodings'] = () => ({ json: found });
  await drawSettings(words);
});

test('it says why it could not be loaded, and loads again', async () => {
  routes['GET /api/admin/settings'] = () => ({ status: 500, json: { error: 'internal', message: 'Broken' } });
  await drawSettings('Failed to load settings: Broken');
  routes['GET /api/admin/settings'] = reply;
  await press('Retry');
  await appears('Found 12 videos');
});

test('it waits for a network, and saves nothing without one', async () => {
  routes['GET /api/admin/settings'] = undefined;
  await drawSettings('Waiting for network');
  routes['GET /api/admin/settings'] = reply;
  await settle(() => {
    connection.isReachable = false;
  });
  await draw(<SettingsSection />);
  await appears('Needs a connection');
  expect(button('Save Access').disabled).toBe(true);
});

test('with a remote every card is reached by arrows', async () => {
  document.documentElement.dataset.form = 'tv';
  await drawSettings();
  await settle(() => button('Add Folder').focus());
  const reached = new Set<string>();
  for (let steps = 0; steps < 60; steps += 1) {
    await pressKeys('ArrowDown');
    reached.add(focusedName() ?? '');
  }
  for (const name of ['Save Backup', 'Save Sign-in with OpenID Connect']) expect(reached).toContain(name);
});
