import { afterEach, beforeEach, vi } from 'vitest';
import { VideoTaggingScreen } from '#app/features/video-tagging/video-tagging-screen.tsx';
import { watchRemote } from '#app/shell/remote.ts';
import { connection } from '#app/state/connection.ts';
import { resetNavigation } from '#app/state/navigation.ts';
import { stopOutbox } from '#app/state/outbox/outbox-session.ts';
import { resetOutbox } from '#app/state/outbox/outbox-state.ts';
import { resetSession, session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { resetSiteConfig } from '#app/state/site-config.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { draw, settle } from '../draw.tsx';
import { giveMedia } from '../ui/media/media-element.ts';
import { channel } from '../videos/library.ts';
import { withRemote } from '../with-remote.ts';
import { TaggingServer } from './tagging-server.ts';

const tags = [channel('n', 'Night', 9), channel('c', 'Cities', 8), channel('d', 'Drone', 7)];
const [night, cities, drone] = tags as [(typeof tags)[0], (typeof tags)[0], (typeof tags)[0]];

/** For each test of a file: somebody signed in, and a library of four videos. */
export function withTagging(): { server: TaggingServer } {
  const held = {} as { server: TaggingServer };
  withRemote(watchRemote);
  beforeEach(() => {
    giveMedia();
    held.server = new TaggingServer([...tags], {
      kelp: [],
      encore: [night, cities, drone],
      dunes: [],
      tromso: [night],
    });
    Object.assign(session, { phase: 'known', user: person() });
  });
  afterEach(async () => {
    stopOutbox();
    await outboxStore.discardAll('user-1');
    await settle(() => {
      resetOutbox();
      resetSession();
      resetSiteConfig();
      resetNavigation();
      connection.isReachable = true;
      settings.areShortcutsOn = true;
      setWidth(1024);
    });
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  return held;
}

export function setWidth(width: number): void {
  Object.assign(window, { innerWidth: width });
  window.dispatchEvent(new Event('resize'));
}

export async function drawTagging(): Promise<HTMLElement> {
  const screen = await draw(<VideoTaggingScreen title="Video Tagging" notice={null} />);
  await wait();
  return screen;
}

/** Until what follows from a press has been answered. */
export async function wait(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) await settle();
}

export const text = (selector: string) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
export const card = (id: string) => document.querySelector<HTMLButtonElement>(`[data-video="${id}"] button`);
export const pressCard = async (id: string, facts: MouseEventInit = {}) => {
  await settle(() => card(id)?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ...facts })));
  await wait();
};
export const pressed = () =>
  [...document.querySelectorAll<HTMLElement>('[data-video]')]
    .filter((item) => item.querySelector('button')?.getAttribute('aria-pressed') === 'true')
    .map(({ dataset }) => dataset.video);
export const chips = (id: string) => text(`[data-video="${id}"] bdi`).slice(1);
export const current = () => text('[aria-label="Current Tags"] bdi');
export const box = (name: string) => document.querySelector<HTMLInputElement>(`input[aria-label="${name}"]`);
export const toggle = async (name: string) => {
  await settle(() => box(name)?.click());
  await wait();
};
export const alerts = () => text('[role="alert"]');
export const key = async (name: string, facts: KeyboardEventInit = {}) => {
  const target = document.activeElement ?? document.body;
  await settle(() =>
    target.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...facts })),
  );
  await wait();
};
