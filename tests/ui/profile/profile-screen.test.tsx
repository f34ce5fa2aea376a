import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import AccountDialog from '#app/features/profile/account-dialog.tsx';
import { clearForms, openForm } from '#app/features/profile/account-forms.ts';
import { ProfileScreen } from '#app/features/profile/profile-screen.tsx';
import { resetSettingsForm } from '#app/features/profile/settings-store.ts';
import { connection } from '#app/state/connection.ts';
import { navigation, resetNavigation } from '#app/state/navigation.ts';
import { resetProviders } from '#app/state/providers.ts';
import { resetSession, session } from '#app/state/session.ts';
import { changeSettings, settings } from '#app/state/settings.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { openReports } from '#app/state/video-sets.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';
import { fakeNetwork } from '#tests/unit/app/platform/fake-network.ts';
import { uploading, uploadRow } from '#tests/unit/app/shell/uploads/upload-rows.ts';
import { person, tokens } from '#tests/unit/app/state/people.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { layOut } from '../laid-out.ts';

let network: ReturnType<typeof fakeNetwork>;

beforeEach(() => {
  layOut();
  network = fakeNetwork();
});

afterEach(async () => {
  await settle(() => {
    resetNavigation();
    resetProviders();
    resetSession();
    resetSettingsForm();
    resetSiteConfig();
    clearForms();
    changeSettings({ areStatisticsShown: false, areShortcutsOn: true, screenLayout: 'automatic', pictureFit: 'fill' });
    changeSettings({ quality: 'automatic' });
    connection.isReachable = true;
  });
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const device = (id: string, current: boolean) => ({
  id,
  current,
  device: current ? 'Firefox on Linux' : 'Chrome on Android',
  created_at: '2026-11-20T12:00:00.000Z',
  last_used_at: '2026-11-21T12:00:00.000Z',
});

/** The three lists of an account, by their addresses. */
const lists: Record<string, unknown> = {
  '/auth/sessions': { sessions: [device('one', true), device('two', false)] },
  '/auth/identities': {
    identities: [{ provider: 'guild', email: 'olga@example.com', linked_at: '2026-11-20T12:00:00.000Z' }],
  },
  '/auth/oauth/providers': {
    providers: [
      { name: 'guild', display_name: 'Guild', login_url: '/auth/oauth/guild/login' },
      { name: 'github', display_name: 'GitHub', login_url: '/auth/oauth/github/login' },
    ],
  },
};

async function drawProfile(tier: Tier | null, facts: Parameters<typeof person>[1] = {}): Promise<HTMLElement> {
  const user = tier && person(tier, facts);
  Object.assign(session, { phase: 'known', user, features: user?.features ?? featuresByTier.basic });
  network.fetch.mockImplementation(
    async (address) => new Response(JSON.stringify(lists[address] ?? {}), { status: address in lists ? 200 : 500 }),
  );
  const screen = await draw(<ProfileScreen title="Profile" notice={null} />);
  if (user) await vi.waitFor(() => expect(screen.textContent).toContain('This device'));
  return screen;
}

const box = (name: string) =>
  document.querySelector<HTMLInputElement>(`input[aria-label="${name}"]`) as HTMLInputElement;
const slider = () => document.querySelector<HTMLInputElement>('input[type="range"]') as HTMLInputElement;

test.each([null, 'basic', 'admin'] as const)('everybody reads that playback is measured (%s)', async (tier) => {
  expect((await drawProfile(tier)).textContent).toContain(
    'Playback is measured: stalls, dropped frames, buffer and speed. Only sums are stored, for 24 hours and without names: they do not tell who watched what.',
  );
});

test('signed out it welcomes, and leads to sign-in, to an account and to the plans', async () => {
  const screen = await drawProfile(null);
  expect(screen.textContent).toContain('Welcome to Fourfold');
  expect(screen.textContent).toContain('Basic Tier');
  for (const [name, dialog] of [
    ['Sign In', 'sign-in'],
    ['Create Account', 'register'],
    ['View Subscription Plans', 'plans'],
  ] as const) {
    await press(name);
    expect(navigation.dialog).toBe(dialog);
  }
  await settle(() => {
    siteConfig.isRegistrationOpen = false;
  });
  expect(screen.textContent).not.toContain('Create Account');
});

test('signed in it shows who one is, where, and with whom', async () => {
  const screen = await drawProfile('pro', {
    display_name: 'Mara Lindqvist',
    avatar_url: '/users/user-1/avatar?version=1',
  });
  expect(screen.querySelector('h2')?.textContent).toBe('Mara Lindqvist');
  for (const words of ['mara@example.com', 'Pro', 'Chrome on Android', 'Guild', 'Not linked'])
    expect(screen.textContent).toContain(words);
  expect(screen.querySelector('img')?.getAttribute('src')).toBe('/users/user-1/avatar?version=1');
  expect(button('Remove picture')).toBeTruthy();
  expect(button('Unlink Guild')).toBeTruthy();
  expect(button('Link GitHub')).toBeTruthy();
  expect(button('Sign Out Chrome on Android')).toBeTruthy();
  expect(screen.textContent).not.toContain('Administration');
  await press('View Plans & Upgrade');
  expect(navigation.dialog).toBe('plans');
});

test('an administrator finds the way into administration', async () => {
  await drawProfile('admin');
  await press('Administration');
  expect(navigation.view).toBe('admin');
});

test('an administrator sees there how many videos are reported', async () => {
  lists['/api/admin/reports?page=1&limit=1'] = { videos: [], total: 3, total_pages: 3, page: 1, limit: 1 };
  onTestFinished(() => {
    delete lists['/api/admin/reports?page=1&limit=1'];
    openReports.videos = 0;
  });
  await drawProfile('admin');
  await vi.waitFor(async () => {
    await settle();
    expect(button('Administration (3)')).toBeTruthy();
  });
});

test.each([
  ['basic', 'included, included, not included', true],
  ['pro', 'included, included, included', false],
] as const)(
  'of the tier %s, it ticks the features and opens the slider where it may',
  async (tier, ticks, isDisabled) => {
    const screen = await drawProfile(tier);
    const said = [...screen.querySelectorAll('li .visually-hidden')].map(({ textContent }) =>
      textContent?.replace(', ', ''),
    );
    expect(said.join(', ')).toBe(ticks);
    expect([slider().disabled, slider().getAttribute('aria-valuetext')]).toEqual([isDisabled, '1 minute']);
  },
);

test('plus moves the step by thirty seconds, and says that it is not saved yet', async () => {
  const screen = await drawProfile('pro');
  await press('30 seconds more');
  expect(slider().getAttribute('aria-valuetext')).toBe('1m 30s');
  expect(screen.textContent).toContain('Not saved yet');
  await press('Save Settings');
  await vi.waitFor(() => expect(screen.textContent).toContain('Failed to save settings. Please try again.'));
});

test('switches and the layout act at once', async () => {
  await drawProfile(null);
  await settle(() => box('Show statistics').click());
  await settle(() => box('Keyboard shortcuts').click());
  await press('Tablet');
  expect(settings).toMatchObject({ areStatisticsShown: true, areShortcutsOn: false, screenLayout: 'tablet' });
  expect(button('Tablet').getAttribute('aria-pressed')).toBe('true');
  await press('Whole picture');
  expect([settings.pictureFit, button('Whole picture').getAttribute('aria-pressed')]).toEqual(['whole', 'true']);
  await press('Best');
  expect([settings.quality, button('Best').getAttribute('aria-pressed')]).toEqual(['best', 'true']);
});

test('without a connection what needs the server at once is closed, and settings are not', async () => {
  await drawProfile('pro');
  await settle(() => {
    connection.isReachable = false;
  });
  for (const name of ['Change email', 'Delete Account', 'Sign Out Everywhere'])
    expect(button(name).disabled).toBe(true);
  for (const name of ['Show statistics', 'Keyboard shortcuts']) expect(box(name).disabled).toBe(false);
  expect(button('Save Settings').disabled).toBe(false);
});

test('a form of the account closes when somebody else is here, and changes nothing of theirs', async () => {
  await drawProfile('pro', { display_name: 'Mara' });
  const close = vi.fn();
  await settle(() => openForm('display-name'));
  await draw(<AccountDialog onClose={close} />);
  await settle(() => {
    session.user = person('pro', { display_name: 'Mara L' });
  });
  expect(close).not.toHaveBeenCalled();
  await settle(() => {
    session.user = person('basic', { id: 'user-2', username: 'ivo' });
  });
  expect(close).toHaveBeenCalledOnce();
});

test('the question of a sign-out is not put to the next person', async () => {
  const screen = await drawProfile('pro');
  await settle(() => {
    uploads.rows = [uploadRow(uploading)];
  });
  onTestFinished(() => void Object.assign(uploads, { rows: [] }));
  await press('Sign Out');
  expect(document.querySelector('[role="alertdialog"]')).not.toBeNull();
  await settle(() => {
    session.user = person('basic', { id: 'user-2', username: 'ivo' });
  });
  expect([document.querySelector('[role="alertdialog"]'), screen.textContent?.includes('ivo')]).toEqual([null, true]);
});

test('lists that cannot be read say so, each in its place', async () => {
  Object.assign(session, { phase: 'known', user: person(), features: featuresByTier.basic });
  const screen = await draw(<ProfileScreen title="Profile" notice={null} />);
  await vi.waitFor(() => expect(screen.textContent).toContain('Your linked accounts could not be loaded.'));
  expect(screen.textContent).toContain('Your devices could not be loaded.');
});

test('while nobody knows who is here it waits', async () => {
  const screen = await draw(<ProfileScreen title="Profile" notice={null} />);
  expect(screen.querySelector('[aria-label="Loading..."]')).not.toBeNull();
  expect(screen.textContent).toContain('View Subscription Plans');
});

test('a refused form puts the focus on the first field that was refused', async () => {
  await drawProfile('pro');
  await press('Change password');
  const dialog = await draw(<AccountDialog onClose={() => {}} />);
  await press('Save');
  await vi.waitFor(() =>
    expect([...dialog.querySelectorAll('input')].map((input) => input.getAttribute('aria-invalid'))).toEqual([
      'true',
      'true',
      'true',
    ]),
  );
  expect(document.activeElement).toBe(dialog.querySelectorAll('input')[0]);
  expect(dialog.textContent).toContain('Please confirm your password');
});

test('somebody without a password sets one, and shows by their provider who they are', async () => {
  const screen = await drawProfile('pro', { has_password: false });
  expect(screen.textContent).toContain('PasswordNone');
  await press('Set password');
  const dialog = await draw(<AccountDialog onClose={() => {}} />);
  expect(dialog.querySelector('h2')?.textContent).toBe('Set Password');
  expect(dialog.querySelectorAll('input')).toHaveLength(2);
  expect(dialog.textContent).toContain('You have no password here.');
  const popup = { closed: false, close: vi.fn(), location: { replace: vi.fn() } };
  vi.stubGlobal('open', () => popup);
  lists['/auth/oauth/guild/link-ticket'] = { ticket: 't1' };
  await press('Confirm with Guild');
  await vi.waitFor(() =>
    expect(popup.location.replace).toHaveBeenCalledWith('/auth/oauth/guild/login?link=1&ticket=t1&display=popup'),
  );
  const data = { type: 'OAUTH_SUCCESS', tokens: tokens() };
  await settle(() =>
    window.dispatchEvent(new MessageEvent('message', { data, origin: location.origin, source: popup as never })),
  );
  expect(dialog.textContent).toContain('Confirmed. You can go on.');
});

test('without the feature there is nothing to save', async () => {
  await drawProfile('basic');
  expect(button('Save Settings').disabled).toBe(true);
});
