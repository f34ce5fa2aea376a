import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SideMenu } from '#app/shell/menu/side-menu.tsx';
import { navigation, openMenu, openView, resetNavigation } from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import type { User } from '#contract/entities/user.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { button, draw, press, settle } from '../../draw.tsx';
import { layOut } from '../../laid-out.ts';

vi.mock('#app/features/feed/feed-screen.tsx', () => ({ FeedScreen: () => null }));

const signIn = (tier: Tier) => {
  session.user = { username: 'mara', display_name: 'Mara Lindqvist', avatar_url: null, effective_tier: tier } as User;
};

const entries = () => [...document.querySelectorAll('nav ul button')].map(({ textContent }) => textContent);

beforeEach(() => {
  layOut();
  resetNavigation();
});

afterEach(async () => {
  await settle(() => {
    resetNavigation();
    resetSession();
  });
  document.documentElement.removeAttribute('data-form');
  vi.restoreAllMocks();
});

test('somebody without an account sees Feed, Videos and Profile', async () => {
  await draw(<SideMenu />);
  expect(entries()).toEqual(['Feed', 'Videos', 'Profile']);
});

test('somebody signed in also sees Upload and Tagging, which expands to its two pages', async () => {
  signIn('pro');
  await draw(<SideMenu />);
  expect(entries()).toEqual(['Feed', 'Videos', 'Upload', 'Tagging', 'Profile']);
  expect(button('Tagging').getAttribute('aria-expanded')).toBe('false');
  await press('Tagging');
  expect(button('Tagging').getAttribute('aria-expanded')).toBe('true');
  expect(entries()).toEqual(['Feed', 'Videos', 'Upload', 'Tagging', 'Tag Management', 'Video Tagging', 'Profile']);
});

test('an administrator also sees Performance', async () => {
  signIn('admin');
  await draw(<SideMenu />);
  expect(entries()).toEqual(['Feed', 'Videos', 'Upload', 'Tagging', 'Performance', 'Profile']);
});

test('the current view is marked, and Tagging stands open around its own', async () => {
  signIn('pro');
  openView('video-tagging');
  await draw(<SideMenu />);
  const current = [...document.querySelectorAll('[aria-current="page"]')].map(({ textContent }) => textContent);
  expect(current).toEqual(['Video Tagging']);
});

test('a choice opens its view and closes the menu', async () => {
  openMenu();
  await draw(<SideMenu />);
  await press('Videos');
  expect([navigation.view, navigation.isMenuOpen]).toEqual(['channels', false]);
});

test('the foot says who is here, of which tier', async () => {
  const screen = await draw(<SideMenu />);
  expect(screen.textContent).toContain('Anonymous UserBasic Tier');
  await settle(() => signIn('admin'));
  expect(screen.textContent).toContain('Mara LindqvistAdmin');
  expect(screen.querySelector('bdi')?.textContent).toBe('Mara Lindqvist');
});

test('whoever presses their name in the foot sees the plans in place of the menu', async () => {
  openMenu();
  await draw(<SideMenu />);
  await press('AAnonymous UserBasic TierView Subscription Plans');
  expect([navigation.dialog, navigation.isMenuOpen]).toEqual(['plans', false]);
});

test('the foot tells a remote how to close it, and a pointer how it opens', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) => ({ matches: query === '(hover: hover)' }) as MediaQueryList,
  );
  const pointer = await draw(<SideMenu />);
  expect(pointer.textContent).toContain('Hover to navigate');
  document.documentElement.dataset.form = 'tv';
  const remote = await draw(<SideMenu />);
  expect(remote.textContent).toContain('Press Back to close');
});

test('a menu that was asked for takes the focus to the current entry, one that came to a pointer leaves it', async () => {
  openView('channels');
  openMenu('hover');
  const screen = await draw(<SideMenu />);
  expect(screen.contains(document.activeElement)).toBe(false);
  await settle(() => openMenu('press'));
  expect(document.activeElement).toBe(button('Videos'));
});
