import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import DeviceDialog from '#app/features/auth/device-dialog.tsx';
import SignInDialog from '#app/features/auth/sign-in-dialog.tsx';
import { clearTokens } from '#app/platform/http/token-store.ts';
import { connection } from '#app/state/connection.ts';
import { navigation } from '#app/state/navigation.ts';
import { resetProviders } from '#app/state/providers.ts';
import { resetSession, session } from '#app/state/session.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { layOut } from '../laid-out.ts';

const onClose = vi.fn();
const providers = [
  { name: 'google', display_name: 'Google', login_url: '/auth/oauth/google/login' },
  { name: 'oidc', display_name: 'Guild', login_url: '/auth/oauth/oidc/login' },
];

let answers: Record<string, unknown>;

beforeEach(() => {
  layOut();
  answers = { '/auth/oauth/providers': { providers: [] } };
  vi.stubGlobal('fetch', async (address: string) => {
    const json = answers[address];
    return new Response(JSON.stringify(json ?? { error: 'internal' }), { status: json ? 200 : 500 });
  });
});

afterEach(async () => {
  await settle(() => {
    resetProviders();
    resetSession();
    resetSiteConfig();
  });
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  onClose.mockReset();
  clearTokens();
  Object.assign(navigation, { deviceCode: null, setupCode: null, invitation: null });
  document.documentElement.dataset.form = 'desktop';
});

const open = async (mode: 'sign-in' | 'register' | 'session-ended' = 'sign-in') => {
  const screen = await draw(<SignInDialog mode={mode} onClose={onClose} />);
  await settle();
  return screen;
};
const title = () => document.querySelector('[role="dialog"] h2')?.textContent;
const alerts = () => [...document.querySelectorAll('[role="alert"]')].map((one) => one.textContent);
const field = (name: string) => document.querySelector<HTMLInputElement>(`input[name="${name}"]`);

async function submit(): Promise<void> {
  await settle(() => document.querySelector('form')?.requestSubmit());
  await settle();
}

test.each(['sign-in', 'register', 'device'] as const)(
  'without the server, %s says so before it is pressed',
  async (form) => {
    if (form === 'device') Object.assign(session, { phase: 'known', user: person() });
    const screen = form === 'device' ? await draw(<DeviceDialog onClose={onClose} />) : await open(form);
    const says = () => screen.textContent?.includes('Needs a connection');
    expect(says()).toBe(false);
    await settle(() => void Object.assign(connection, { isReachable: false }));
    expect(says()).toBe(true);
    await settle(() => void Object.assign(connection, { isReachable: true }));
  },
);

describe('the first account', () => {
  test('is made with the code that the address brought, also where registration is closed', async () => {
    siteConfig.isRegistrationOpen = false;
    navigation.setupCode = 'BCDF-GHJK';
    await open('register');
    expect([title(), field('setup-code')?.value]).toEqual(['Create Account', 'BCDF-GHJK']);
  });

  test('is asked for by nobody else', async () => {
    await open('register');
    expect(field('setup-code')).toBeNull();
  });
});

describe('an invitation', () => {
  const offer = { tier: 'pro', expires_at: '2026-11-29T12:00:00.000Z' };
  const refusal = { error: 'invitation_invalid', message: 'This invitation was used already.' };

  const openInvited = async (reply: { status: number; json: unknown }) => {
    const others = globalThis.fetch;
    vi.stubGlobal('fetch', async (address: string) =>
      address === '/auth/invitation'
        ? new Response(JSON.stringify(reply.json), { status: reply.status })
        : others(address),
    );
    answers['/auth/oauth/providers'] = { providers };
    siteConfig.isRegistrationOpen = false;
    session.phase = 'known';
    navigation.invitation = 'secret';
    await open('register');
    await settle();
  };

  test('says what it gives, opens registration where it is closed, and goes with providers', async () => {
    await openInvited({ status: 200, json: offer });
    await vi.waitFor(() => expect(document.body.textContent).toContain('You are invited. Your plan: Pro.'));
    expect([title(), document.activeElement]).toEqual(['Create Account', field('username')]);
    await vi.waitFor(() => expect(button('Continue with Guild').disabled).toBe(false));
  });

  test('that is good no longer says why, and leaves the way to sign in', async () => {
    await openInvited({ status: 403, json: refusal });
    await vi.waitFor(() => expect(alerts()).toEqual(['This invitation was used already.']));
    expect([title(), field('confirmation'), navigation.invitation]).toEqual(['Sign In', null, null]);
    expect(document.body.textContent).not.toContain('Create Account');
  });

  test('that cannot be asked about offers to try again', async () => {
    await openInvited({ status: 503, json: { error: 'unavailable', message: 'The server is starting.' } });
    await vi.waitFor(() => expect(alerts()).toEqual(['The server is starting.Retry']));
    expect(button('Retry')).toBeTruthy();
    expect(title()).toBe('Create Account');
  });

  test('tells whoever is signed in that it was not used', async () => {
    Object.assign(session, { phase: 'known', user: { id: '1', username: 'mara', display_name: 'Mara Lindqvist' } });
    navigation.invitation = 'secret';
    await open('register');
    expect([title(), document.querySelector('[role="dialog"] p')?.textContent]).toEqual([
      'Invitation',
      'You are signed in as Mara Lindqvist already. The invitation was not used: it is for somebody without an account.',
    ]);
    await press('Close');
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  test('shows nothing before it is known who is here', async () => {
    navigation.invitation = 'secret';
    await open('register');
    expect(document.querySelector('[role="dialog"]')).toBeNull();
  });
});

describe('signing in', () => {
  test('asks for name and password in words that password managers know', async () => {
    await open();
    expect(title()).toBe('Sign In');
    expect([field('username')?.autocomplete, field('password')?.autocomplete, field('password')?.type]).toEqual([
      'username',
      'current-password',
      'password',
    ]);
    expect([...document.querySelectorAll('label')].map((label) => label.textContent)).toEqual([
      'Username or Email',
      'Password',
      'Remember me for 30 days',
    ]);
  });

  test('an empty form says at its fields what is missing, to eyes and to screen readers', async () => {
    await open();
    await submit();
    expect(alerts()).toEqual(['Username or email is required', 'Password is required']);
    const identifier = field('username');
    expect(identifier?.getAttribute('aria-invalid')).toBe('true');
    expect(document.getElementById(identifier?.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'Username or email is required',
    );
    await vi.waitFor(() => expect(document.activeElement).toBe(identifier));
  });

  test('the password can be shown', async () => {
    await open();
    await press('Show password');
    expect(field('password')?.type).toBe('text');
    await press('Hide password');
    expect(field('password')?.type).toBe('password');
  });

  test('a session that has ended is told with the title', async () => {
    await open('session-ended');
    const dialog = document.querySelector('[role="dialog"]');
    expect(document.getElementById(dialog?.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'Your session has ended. Please sign in again.',
    );
  });
});

describe('providers', () => {
  test('stand there when the operator has set any up', async () => {
    answers['/auth/oauth/providers'] = { providers };
    await open();
    expect(document.body.textContent).toContain('or continue with');
    expect([button('Continue with Google').disabled, button('Continue with Guild').disabled]).toEqual([false, false]);
  });

  test.each([
    ['there are none', { providers: [] }],
    ['the list fails', undefined],
  ])('are no part of the dialog when %s', async (_, reply) => {
    answers['/auth/oauth/providers'] = reply;
    await open();
    expect(document.body.textContent).not.toContain('or continue with');
  });

  test('wait while the window of one of them is open', async () => {
    answers['/auth/oauth/providers'] = { providers };
    vi.spyOn(window, 'open').mockReturnValue({ closed: false, close: () => {} } as Window);
    await open();
    await press('Continue with Guild');
    expect([button('Continue with Google').disabled, button('Continue with Guild').disabled]).toEqual([true, true]);
  });
});

describe('registration', () => {
  test('is one press away from signing in, and back', async () => {
    await open();
    await press('Create Account');
    expect(title()).toBe('Create Account');
    expect(document.activeElement).toBe(field('username'));
    expect([
      field('email')?.autocomplete,
      field('password')?.autocomplete,
      field('confirmation')?.autocomplete,
    ]).toEqual(['email', 'new-password', 'new-password']);
    await press('Sign In');
    expect(title()).toBe('Sign In');
  });

  test('says at each field what the rules refuse', async () => {
    await open('register');
    await submit();
    expect(alerts()).toEqual([
      'Username is required',
      'Email is required',
      'Password is required',
      'Please confirm your password',
    ]);
  });

  test('is not offered where the operator has closed it', async () => {
    siteConfig.isRegistrationOpen = false;
    await open('register');
    expect(title()).toBe('Sign In');
    expect(document.body.textContent).not.toContain('Create Account');
  });
});

describe('on a TV', () => {
  beforeEach(() => {
    document.documentElement.dataset.form = 'tv';
    answers['/auth/device'] = {
      device_code: 'd',
      user_code: 'BCDF-GHJK',
      verification_url: 'http://fourfold.lan:4400/',
      expires_in: 300,
      interval: 5,
    };
  });

  test('a code for another device comes first, and the form is one press away', async () => {
    await open();
    await vi.waitFor(async () => {
      await settle();
      expect(document.body.textContent).toContain('BCDF-GHJK');
    });
    expect(document.querySelector('[role="img"]')?.getAttribute('aria-label')).toBe('QR code for fourfold.lan:4400');
    expect(document.activeElement).toBe(button('Use a password'));
    await press('Use a password');
    expect(document.activeElement).toBe(field('username'));
  });
});

test.each(['http://localhost:4400/', 'http://127.0.0.1:4400/', 'http://[::1]:4400/'])(
  'on a TV an address that no other device can open is not shown: %s',
  async (url) => {
    document.documentElement.dataset.form = 'tv';
    answers['/auth/device'] = {
      device_code: 'd',
      user_code: 'BCDF-GHJK',
      verification_url: url,
      expires_in: 300,
      interval: 5,
    };
    await open();
    await vi.waitFor(async () => {
      await settle();
      expect(document.body.textContent).toContain('BCDF-GHJK');
    });
    expect(document.querySelector('[role="img"]')).toBeNull();
    expect(document.body.textContent).toContain(
      "Open Fourfold on another device, sign in there, and enter this code under 'Sign in a TV' in Profile:",
    );
    expect(document.body.textContent).not.toContain(new URL(url).host);
  },
);

describe('the code of a TV', () => {
  const mara = { id: '1', username: 'mara', display_name: 'Mara Lindqvist' };

  test('that was scanned is confirmed by whoever is signed in', async () => {
    Object.assign(session, { phase: 'known', user: mara });
    navigation.deviceCode = 'BCDF-GHJK';
    await draw(<DeviceDialog onClose={onClose} />);
    expect(field('user-code')?.value).toBe('BCDF-GHJK');
    expect(document.body.textContent).toContain('The TV that shows this code will be signed in as Mara Lindqvist.');
  });

  async function findDevice(facts: object) {
    Object.assign(session, { phase: 'known', user: mara });
    const device = {
      device: 'Chrome on an LG TV',
      address: '192.168.1.20',
      is_same_network: true,
      asked_at: '2026-11-21T12:00:00.000Z',
      ...facts,
    };
    answers['/auth/device/lookup'] = device;
    navigation.deviceCode = 'BCDF-GHJK';
    await draw(<DeviceDialog onClose={onClose} />);
    await submit();
    await vi.waitFor(async () => {
      await settle();
      expect(document.body.textContent).toContain('Chrome on an LG TV');
    });
  }

  test('is shown with its device, network and time before it is approved, and the focus starts on Cancel', async () => {
    await findDevice({});
    const said = document.body.textContent ?? '';
    for (const words of [
      'signed in as Mara Lindqvist',
      'The same as this device (192.168.1.20)',
      new Date('2026-11-21T12:00:00.000Z').getFullYear(),
    ]) {
      expect(said).toContain(String(words));
    }
    expect(field('user-code')).toBeNull();
    expect(document.activeElement).toBe(button('Cancel'));
    answers['/auth/device/approve'] = {};
    await press('Sign In');
    await vi.waitFor(async () => {
      await settle();
      expect(document.body.textContent).toContain('The TV is being signed in.');
    });
  });

  test('of another network comes with a warning, and Cancel approves nothing', async () => {
    await findDevice({ is_same_network: false, address: '203.0.113.7' });
    expect(document.body.textContent).toContain('Another one (203.0.113.7)');
    expect(document.body.textContent).toContain('It is not on the network that you are on.');
    await press('Cancel');
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  test('that was given up meanwhile is asked for again', async () => {
    await findDevice({ is_same_network: null });
    expect(document.body.textContent).not.toContain('It is not on the network');
    await press('Sign In');
    await vi.waitFor(async () => {
      await settle();
      expect(alerts()).not.toEqual([]);
    });
    expect(field('user-code')?.value).toBe('BCDF-GHJK');
  });

  test('that is none is refused by its rule', async () => {
    Object.assign(session, { phase: 'known', user: mara });
    await draw(<DeviceDialog onClose={onClose} />);
    await submit();
    expect(alerts()).toEqual(['Enter the 8 letters that the TV shows']);
  });

  test('asks whoever is signed out to sign in first', async () => {
    session.phase = 'known';
    await draw(<DeviceDialog onClose={onClose} />);
    expect(title()).toBe('Sign In');
  });

  test('asks for nothing before it is known who is here', async () => {
    await draw(<DeviceDialog onClose={onClose} />);
    expect(document.querySelector('[role="dialog"]')).toBeNull();
  });
});
