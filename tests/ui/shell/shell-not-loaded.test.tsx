import { afterEach, expect, test, vi } from 'vitest';
import { recovered } from '#app/platform/link.ts';
import { Frame } from '#app/shell/frame.tsx';
import { navigation, openDialog, openView, resetNavigation } from '#app/state/navigation.ts';
import { button, draw, settle } from '../draw.tsx';

const network = vi.hoisted(() => ({ isThere: false }));

vi.mock('#app/features/feed/feed-screen.tsx', () => ({ FeedScreen: () => <main>Four videos</main> }));
vi.mock('#app/shell/shell.tsx', () => ({
  get Shell() {
    if (!network.isThere) throw new TypeError('Failed to fetch dynamically imported module');
    return () => 'Everything else';
  },
}));

afterEach(() =>
  settle(() => {
    resetNavigation();
    network.isThere = false;
  }),
);

test('a shell that could not be loaded is loaded once the network is back', async () => {
  const screen = await draw(<Frame />);
  await settle(() => openDialog('shortcuts'));
  await vi.waitFor(() => expect(navigation.dialog).toBeNull());
  expect(screen.textContent).toBe('Four videos');

  await settle(() => openView('profile'));
  await vi.waitFor(() => expect(screen.textContent).toContain('This view could not be loaded.'));
  expect(button('Reload').disabled).toBe(false);

  await settle(() => {
    network.isThere = true;
    recovered.emit();
  });
  await vi.waitFor(() => expect(screen.textContent).toBe('Everything else'));
});
