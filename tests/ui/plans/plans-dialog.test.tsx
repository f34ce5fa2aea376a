import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import PlansDialog, { resetPlans } from '#app/features/profile/plans-dialog.tsx';
import { connection } from '#app/state/connection.ts';
import { navigation, openDialog, resetNavigation } from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import { shippedPlans } from '#server/features/plans/shipped-plans.ts';
import { fakeNetwork } from '#tests/unit/app/platform/fake-network.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { layOut } from '../laid-out.ts';

let network: ReturnType<typeof fakeNetwork>;

beforeEach(() => {
  layOut();
  network = fakeNetwork();
  openDialog('plans');
});

afterEach(async () => {
  await settle(() => {
    resetPlans();
    resetNavigation();
    resetSession();
    resetSiteConfig();
    connection.isReachable = true;
  });
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function drawPlans(): Promise<HTMLElement> {
  network.answer({ json: { plans: shippedPlans } });
  const screen = await draw(<PlansDialog onClose={() => {}} />);
  await vi.waitFor(() => expect(screen.querySelectorAll('h3')).toHaveLength(4));
  return screen;
}

const labels = (screen: HTMLElement) =>
  [...screen.querySelectorAll('li > button')].map(({ textContent }) => textContent);

test('each plan has its name, price, description and features, and the popular one its mark', async () => {
  const screen = await drawPlans();
  const [basic, pro, lifetime] = [...screen.querySelectorAll('[role="dialog"] ul')][0]?.children ?? [];
  expect(basic?.textContent).toMatch(/^BasicFreeFour videos at once, for everybody\.Quad-Multiplayer Streaming/);
  expect(pro?.textContent).toMatch(/^ProMost Popular\$9\/month/);
  expect(lifetime?.textContent).toMatch(/^Lifetime\$149Everything in Pro, paid once\./);
  // A narrow card breaks the line behind a slash.
  expect(basic?.innerHTML).toContain('Video Controls (Mute/<wbr>Pin/<wbr>Seek/<wbr>Skip)');
});

test('signed out, basic is the current plan, the foot says that no account is needed, and the focus is on the first offer', async () => {
  const screen = await drawPlans();
  expect(labels(screen)).toEqual(['Current Plan', 'Upgrade to Pro', 'Upgrade to Lifetime', 'Contact Admin']);
  expect(screen.textContent).toContain('You can continue to use the app without an account.');
  expect(document.activeElement).toBe(button('Upgrade to Pro'));
  await press('Upgrade to Pro');
  expect(screen.textContent).toContain('Please sign in to upgrade your subscription');
  await press('Sign In');
  expect(navigation.dialog).toBe('sign-in');
});

test('signed in, an upgrade says so and waits, and then tells of the new plan', async () => {
  session.user = person('pro');
  const screen = await drawPlans();
  expect(labels(screen)).toEqual(['Downgrade Not Available', 'Current Plan', 'Upgrade to Lifetime', 'Contact Admin']);
  expect(screen.textContent).toContain(
    'You can change your subscription at any time. Upgrades take effect immediately.',
  );
  let answer: (response: Response) => void = () => {};
  network.fetch.mockReturnValueOnce(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  await press('Upgrade to Lifetime');
  expect(button('Upgrading...').disabled).toBe(true);
  const user = person('lifetime');
  answer(new Response(JSON.stringify({ success: true, user, features: user.features })));
  await vi.waitFor(() => expect(screen.textContent).toContain('You are on Lifetime now.'));
  expect(button('Current Plan').disabled).toBe(true);
});

test('where plans are changed by administrators, and without a connection, nothing can be taken', async () => {
  const screen = await drawPlans();
  await settle(() => {
    siteConfig.isBillingOpen = false;
  });
  expect(labels(screen)).toEqual(['Current Plan', 'Contact Admin', 'Contact Admin', 'Contact Admin']);
  expect(screen.textContent).toContain('You can continue to use the app without an account.');
  expect(screen.textContent).toContain('Plans are changed by an administrator here.');
  await settle(() => {
    session.user = person('pro');
  });
  expect(screen.textContent).toContain(
    'You can change your subscription at any time. Upgrades take effect immediately.',
  );
  expect(screen.textContent).toContain('Plans are changed by an administrator here.');
  await settle(() => {
    session.user = null;
    siteConfig.isBillingOpen = true;
    connection.isReachable = false;
  });
  expect(button('Upgrade to Pro').disabled).toBe(true);
  expect(screen.textContent).toContain('Needs a connection');
});

test('a list that cannot be read says so and can be asked for again', async () => {
  const screen = await draw(<PlansDialog onClose={() => {}} />);
  await vi.waitFor(() =>
    expect(screen.querySelector('[role="alert"]')?.textContent).toContain('Failed to load subscription plans'),
  );
  network.answer({ json: { plans: shippedPlans } });
  await press('Retry');
  await vi.waitFor(() => expect(screen.querySelectorAll('h3')).toHaveLength(4));
});
