import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AboutSection } from '#app/features/admin/about-section.tsx';
import { ActivitySection } from '#app/features/admin/activity-section.tsx';
import { watchRemote } from '#app/shell/remote.ts';
import type { About, Activity, BackupState } from '#contract/entities/site.ts';
import { draw, press, settle } from '../draw.tsx';
import { focusedName, pressKeys } from '../keys.ts';
import { withRemote } from '../with-remote.ts';
import type { FakeAnswer } from './fake-server.ts';
import { fakeServer } from './fake-server.ts';

withRemote(watchRemote);

const hoursAgo = (count: number) => new Date(Date.now() - count * 3_600_000).toISOString();

const noBackup: BackupState = { folder: null, next_at: null, latest: null, failure: null, left_out: [] };
const about = (facts: Partial<About> = {}): About => ({
  version: '1.2.3',
  update: null,
  node: 'v24.1.0',
  uptime_seconds: 183_600,
  database: { kind: 'sqlite', place: '/data/fourfold.sqlite' },
  storage: { kind: 'disk', store: null, folder: '/data', free_bytes: 40e9, total_bytes: 500e9 },
  ffmpeg: '/usr/bin/ffmpeg',
  sandbox: 'landlock',
  addresses: ['http://localhost:4400', 'http://192.168.1.5:4400'],
  nodes: [],
  degraded: [],
  backup: noBackup,
  ...facts,
});

let routes: Record<string, ((body: unknown) => FakeAnswer) | undefined>;

beforeEach(() => {
  routes = {};
  fakeServer(routes);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

const appears = (words: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(document.body.textContent).toContain(words);
  });

describe('About', () => {
  async function drawAbout(facts: Partial<About>, words: string): Promise<HTMLElement> {
    routes['GET /api/admin/about'] = () => ({ json: about(facts) });
    const screen = await draw(<AboutSection />);
    await appears(words);
    return screen;
  }

  test('says what runs here, and that everything works', async () => {
    const screen = await drawAbout({}, 'Everything works.');
    for (const words of ['1.2.3', '2 days 3 hours', 'v24.1.0', '/data/fourfold.sqlite', '/usr/bin/ffmpeg', 'Landlock'])
      expect(screen.textContent).toContain(words);
    expect(screen.textContent).toContain('40 GB free of 500 GB, nearly full');
  });

  test('leads the arrows of a remote to each card, none of which has a button', async () => {
    document.documentElement.dataset.form = 'tv';
    const screen = await drawAbout({}, 'Everything works.');
    const cards = [...screen.querySelectorAll('section')];
    expect(cards.map(({ tabIndex }) => tabIndex)).toEqual([0, 0, 0, 0, 0]);
  });

  test('has a QR code of the address that a phone can open, and none where there is no such address', async () => {
    const screen = await drawAbout({}, 'Everything works.');
    expect(screen.querySelector('svg[role="img"]')?.getAttribute('aria-label')).toBe(
      'QR code for http://192.168.1.5:4400',
    );
  });

  test('has none where every address is of this machine alone', async () => {
    const screen = await drawAbout({ addresses: ['http://localhost:4400'] }, 'http://localhost:4400');
    expect(screen.querySelector('svg[role="img"]')).toBeNull();
  });

  test('says where a store is and how quickly it answers, where there is one', async () => {
    expect((await drawAbout({}, 'Everything works.')).textContent).not.toContain('S3');
    const times = {
      delivers_from: 'https://media.example',
      half_within_ms: 12,
      most_within_ms: 80,
      clock_ahead_seconds: -90,
      failure: null,
    };
    const storage = { ...about().storage, kind: 's3' as const };
    const screen = await drawAbout(
      { storage: { ...storage, store: { place: 'https://s3.example.org/films/', ...times } } },
      'https://s3.example.org/films/',
    );
    for (const words of ['/data', 'S3', '12 ms half of the time, 80 ms 99 times of 100', '90 s behind'])
      expect(screen.textContent).toContain(words);
  });

  test('says what is missing, and how to mend it', async () => {
    const degraded = [{ problem: 'There is no ffmpeg.', mend: 'Install ffmpeg.' }];
    const screen = await drawAbout({ degraded, ffmpeg: null, sandbox: null }, 'There is no ffmpeg.');
    expect(screen.textContent).toContain('Install ffmpeg.');
    expect(screen.textContent).not.toContain('Everything works.');
  });

  test('says whether there is a newer version, only where somebody is asked for it', async () => {
    expect((await drawAbout({}, 'Everything works.')).textContent).not.toContain('Newer version');
    for (const [update, words] of [
      [{ newest: '1.3.0', is_newer: true }, '1.3.0 is there. The changelog says what it changes.'],
      [{ newest: '1.2.3', is_newer: false }, 'Newer versionNone'],
      [{ newest: null, is_newer: false }, 'Not known: UPDATE_CHECK_URL gave no version.'],
    ] as const)
      await drawAbout({ update }, words);
  });

  test('says how backups are turned on', async () => {
    await drawAbout({}, 'Name a folder under Settings');
  });

  test('tells of the latest backup, of one that failed, and of what none contains', async () => {
    const backup: BackupState = {
      folder: '/backup',
      next_at: hoursAgo(-5),
      latest: { at: hoursAgo(19), file: 'fourfold-1.tar', bytes: 12e6 },
      failure: { at: hoursAgo(1), message: 'The disk is full.' },
      left_out: ['/data/uploads'],
    };
    const screen = await drawAbout({ backup }, '/backup');
    expect(screen.textContent).toMatch(/The latest is of 19 hours ago \(.*\): fourfold-1.tar, 12 MB/);
    expect(screen.querySelector('[role="alert"]')?.textContent).toMatch(/The backup of .* failed: The disk is full\./);
    expect(screen.textContent).toContain('/data/uploads');
  });

  test('says why it cannot be read, and tries again', async () => {
    routes['GET /api/admin/about'] = () => ({ status: 500, json: { error: 'internal', message: 'Out of order.' } });
    await draw(<AboutSection />);
    await appears('Failed to load facts about the server: Out of order.');
    routes['GET /api/admin/about'] = () => ({ json: about() });
    await press('Retry');
    await appears('Everything works.');
  });

  test('waits for a network', async () => {
    await draw(<AboutSection />);
    await appears('Waiting for network');
  });
});

describe('Activity', () => {
  const activity = (id: string, facts: Partial<Activity> = {}): Activity => ({
    id,
    at: hoursAgo(3),
    actor: 'Ada',
    kind: 'tier_changed',
    subject: 'Ben',
    detail: 'pro until 2027-03-01',
    can_undo: false,
    ...facts,
  });

  const list = (total: number, ...activities: Activity[]) => ({
    json: { activities, total, total_pages: Math.max(1, Math.ceil(total / 20)), page: 1, limit: 20 },
  });

  async function drawActivity(words: string): Promise<HTMLElement> {
    const screen = await draw(<ActivitySection />);
    await appears(words);
    return screen;
  }

  test('says who did what, and when', async () => {
    routes['GET /api/admin/activity'] = () => list(1, activity('1'));
    const screen = await drawActivity('Ada gave Ben the plan Pro until Mar 1, 2027');
    expect(screen.textContent).toContain('3 hours ago (');
    expect([...screen.querySelectorAll('li bdi')].map(({ textContent }) => textContent)).toEqual(['Ada', 'Ben']);
  });

  test('has pages', async () => {
    routes['GET /api/admin/activity'] = () => list(45, activity('1'));
    const screen = await drawActivity('Page 1 of 3');
    routes['GET /api/admin/activity'] = () => list(45, activity('21', { kind: 'password_set' }));
    await press('Next');
    await appears('Ada set a new password for Ben');
    expect(screen.textContent).toContain('Page 2 of 3');
  });

  test('undoes a change of settings, once, and says when that is refused', async () => {
    const line = { kind: 'settings_changed', subject: 'Site password', detail: null } as const;
    routes['GET /api/admin/activity'] = () => list(2, activity('7', { ...line, can_undo: true }), activity('6', line));
    routes['POST /api/admin/activity/7/undo'] = () => ({
      status: 409,
      json: { error: 'conflict', message: 'It was changed again since then.' },
    });
    const screen = await drawActivity('Ada set Site password');
    const buttons = () => [...screen.querySelectorAll('li button')].length;
    expect(buttons()).toBe(1);
    await press('Undo: Site password');
    await appears('It was changed again since then.');
    routes['POST /api/admin/activity/7/undo'] = () => ({ status: 204 });
    routes['GET /api/admin/activity'] = () => list(1, activity('7', line));
    await press('Undo: Site password');
    await appears('Undone: Site password');
    await vi.waitFor(() => expect(buttons()).toBe(0));
  });

  test('no longer offers to undo what somebody else has undone', async () => {
    const line = { kind: 'settings_changed', subject: 'Site password', detail: null } as const;
    routes['GET /api/admin/activity'] = () => list(1, activity('7', { ...line, can_undo: true }));
    const screen = await drawActivity('Ada set Site password');
    routes['POST /api/admin/activity/7/undo'] = () => ({
      status: 409,
      json: { error: 'conflict', message: 'This was undone already.' },
    });
    routes['GET /api/admin/activity'] = () => list(1, activity('7', line));
    await press('Undo: Site password');
    await appears('This was undone already.');
    await vi.waitFor(() => expect(screen.querySelector('li button')).toBeNull());
  });

  test('says what will be listed while there is nothing', async () => {
    routes['GET /api/admin/activity'] = () => list(0);
    await drawActivity('Nothing was done yet. What administrators do is listed here for 90 days.');
  });

  test('says why it cannot be read', async () => {
    routes['GET /api/admin/activity'] = () => ({ status: 500, json: { error: 'internal', message: 'Out of order.' } });
    await drawActivity('Failed to load activity: Out of order.');
    routes['GET /api/admin/activity'] = () => list(1, activity('1'));
    await press('Retry');
    await appears('Ada gave Ben');
  });

  test('waits for a network', async () => {
    await drawActivity('Waiting for network');
  });

  test('with a remote each line is reached', async () => {
    document.documentElement.dataset.form = 'tv';
    routes['GET /api/admin/activity'] = () => list(2, activity('1'), activity('2', { kind: 'password_set' }));
    const screen = await drawActivity('Ada gave Ben');
    await settle(() => screen.querySelector<HTMLElement>('li')?.focus());
    await pressKeys('ArrowDown');
    expect(focusedName()).toContain('Ada set a new password for Ben');
  });
});
