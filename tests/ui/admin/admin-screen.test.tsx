import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AdminScreen, sections } from '#app/features/admin/admin-screen.tsx';
import { watchRemote } from '#app/shell/remote.ts';
import { resetNavigation } from '#app/state/navigation.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { focusedName, pressKeys } from '../keys.ts';
import { withRemote } from '../with-remote.ts';
import { fakeServer } from './fake-server.ts';

withRemote(watchRemote);

beforeEach(() => {
  fakeServer({
    'GET /users/admin': () => ({ json: { users: [], total: 0, total_pages: 1, page: 1, limit: 20 } }),
    'GET /users/admin/invitations': () => ({ json: { invitations: [], usual_tier: 'basic' } }),
  });
});

afterEach(async () => {
  await settle(resetNavigation);
  vi.unstubAllGlobals();
});

const drawAdministration = async () => {
  const screen = await draw(<AdminScreen title="Administration" notice={null} />);
  await vi.waitFor(async () => {
    await settle();
    expect(screen.textContent).toContain('Nobody has an account yet.');
  });
  return screen;
};
const section = (screen: HTMLElement) => screen.querySelector<HTMLElement>('[data-section]')?.dataset.section;
const current = () => document.querySelector('[aria-current="page"]')?.textContent;

test('it opens with people, and each tab leads to its section', async () => {
  const screen = await drawAdministration();
  expect([current(), section(screen)]).toEqual(['People', 'people']);
  for (const { name, title } of sections) {
    await press(title);
    await vi.waitFor(async () => {
      await settle();
      expect(section(screen)).toBe(name);
    });
    expect(current()).toBe(title);
  }
});

test('with a remote the tabs are reached from below', async () => {
  document.documentElement.dataset.form = 'tv';
  const screen = await drawAdministration();
  await settle(() => button('Invitations').focus());
  await pressKeys('Enter');
  await vi.waitFor(async () => {
    await settle();
    expect(screen.textContent).toContain('Invite Somebody');
  });
  await settle(() => button('Make a Link').focus());
  for (let steps = 0; steps < sections.length + 2 && focusedName() !== 'Invitations'; steps += 1)
    await pressKeys('ArrowUp');
  expect(focusedName()).toBe('Invitations');
});
