import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BottomBar } from '#app/shell/menu/bottom-bar.tsx';
import { navigation, openView, resetNavigation } from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import type { User } from '#contract/entities/user.ts';
import { draw, press, settle } from '../../draw.tsx';

vi.mock('#app/features/feed/feed-screen.tsx', () => ({ FeedScreen: () => null }));

const tabs = () => [...document.querySelectorAll('nav button')].map(({ textContent }) => textContent);
const root = document.documentElement;

const turn = (width: number, height: number) => {
  Object.assign(window, { innerWidth: width, innerHeight: height });
  window.dispatchEvent(new Event('resize'));
};

beforeEach(resetNavigation);

afterEach(() =>
  settle(() => {
    resetNavigation();
    resetSession();
    turn(390, 844);
  }),
);

test('three tabs for somebody without an account, five for somebody signed in, an administrator among them', async () => {
  await draw(<BottomBar />);
  expect(tabs()).toEqual(['Feed', 'Videos', 'Profile']);
  await settle(() => {
    session.user = { username: 'mara', display_name: null, avatar_url: null, effective_tier: 'admin' } as User;
  });
  expect(tabs()).toEqual(['Feed', 'Videos', 'Upload', 'Tagging', 'Profile']);
});

test('Tagging opens the page of its two that was used last', async () => {
  session.user = { username: 'mara', display_name: null, avatar_url: null, effective_tier: 'basic' } as User;
  await draw(<BottomBar />);
  await press('Tagging');
  expect(navigation.view).toBe('tag-management');
  await settle(() => openView('video-tagging'));
  await settle(() => openView('profile'));
  await press('Tagging');
  expect(navigation.view).toBe('video-tagging');
  expect(document.querySelector('[aria-current="page"]')?.textContent).toBe('Tagging');
});

test('it says where it stands: below, at the left on a phone held sideways, nowhere when it is gone', async () => {
  turn(390, 844);
  const { parentElement } = await draw(<BottomBar />);
  expect(root.dataset.bar).toBe('bottom');
  await settle(() => turn(844, 390));
  expect(root.dataset.bar).toBe('rail');
  expect(parentElement).not.toBeNull();
});
