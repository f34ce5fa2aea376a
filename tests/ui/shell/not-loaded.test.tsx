import { Suspense } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { TvSignIn } from '#app/features/auth/sign-in-form.tsx';
import { recovered } from '#app/platform/link.ts';
import { Dialogs } from '#app/shell/shell.tsx';
import { connection } from '#app/state/connection.ts';
import { navigation, openDialog, resetNavigation } from '#app/state/navigation.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { layOut } from '../laid-out.ts';

const network = vi.hoisted(() => ({ isThere: false }));
const loaded = vi.hoisted(() => (words: string) => {
  if (!network.isThere) throw new TypeError('Failed to fetch dynamically imported module');
  return () => words;
});

vi.mock('#app/features/profile/plans-dialog.tsx', () => ({
  get default() {
    return loaded('Choose Your Plan');
  },
}));
vi.mock('#app/features/auth/device-code-panel.tsx', () => ({
  get DeviceCodePanel() {
    return loaded('BCDF-GHJK');
  },
}));

afterEach(async () => {
  await settle(() => {
    resetNavigation();
    connection.isReachable = true;
    network.isThere = false;
  });
});

const recover = () =>
  settle(() => {
    network.isThere = true;
    connection.isReachable = true;
    recovered.emit();
  });

test('a dialog whose file is not on this device says that it needs a connection, and comes with the network', async () => {
  layOut();
  connection.isReachable = false;
  openDialog('plans');
  const screen = await draw(<Dialogs />);
  await vi.waitFor(() => expect(screen.querySelector('[role="alertdialog"]')?.textContent).toContain('Not loaded'));
  expect(screen.textContent).toContain('Needs a connection');
  expect([...screen.querySelectorAll('button')].map(({ textContent }) => textContent)).not.toContain('Reload');
  await press('Close');
  expect(navigation.dialog).toBeNull();

  await settle(() => openDialog('plans'));
  await vi.waitFor(() => expect(screen.textContent).toContain('Needs a connection'));
  await settle(() => {
    connection.isReachable = true;
  });
  expect(screen.textContent).toContain('This could not be loaded.');
  expect(button('Reload').disabled).toBe(false);
  await recover();
  await vi.waitFor(() => expect(screen.textContent).toBe('Choose Your Plan'));
});

test('on a TV the place of the code says that it needs a connection, and has the code with the network', async () => {
  connection.isReachable = false;
  const screen = await draw(
    <Suspense>
      <TvSignIn onTyping={() => {}} />
    </Suspense>,
  );
  await vi.waitFor(() => expect(screen.textContent).toContain('Needs a connection'));
  expect(button('Use a password').disabled).toBe(false);
  await recover();
  await vi.waitFor(() => expect(screen.textContent).toContain('BCDF-GHJK'));
  expect(screen.textContent).not.toContain('Needs a connection');
});
