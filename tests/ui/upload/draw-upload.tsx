import { act } from 'react';
import { vi } from 'vitest';
import { UploadScreen } from '#app/features/upload/upload-screen.tsx';
import { resetAlerts } from '#app/features/upload/upload-store.ts';
import { connection } from '#app/state/connection.ts';
import { resetNavigation } from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import type { PastUpload } from '#contract/entities/upload.ts';
import type { User } from '#contract/entities/user.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { person } from '#tests/unit/app/state/people.ts';
import type { FakeAnswer } from '../admin/fake-server.ts';
import { fakeServer } from '../admin/fake-server.ts';
import { draw, settle } from '../draw.tsx';
import { resetUploads } from './recording-queue.ts';

export type Routes = Record<string, ((body: unknown) => FakeAnswer) | undefined>;

export const agreement = '# End-User License Agreement\n\n## What you may upload\n\nVideos that are **yours**.';

export const acceptance = (isAccepted: boolean): FakeAnswer => {
  const user = person('basic', { eula_accepted: isAccepted });
  return { json: { authenticated: true, user, features: user.features, eula_accepted: isAccepted } };
};

const config = (allowed: string): FakeAnswer => ({ json: { upload: { allowed, eula_version: '1.0' } } });

export const historyOf = (...uploads: PastUpload[]): FakeAnswer => ({
  json: { uploads, total: uploads.length, total_pages: 1, page: 1, limit: 20 },
});

/** Somebody who has accepted the agreement, where everybody may upload. */
export function standardRoutes(allowed = 'everyone'): Routes {
  return {
    'GET /api/config': () => config(allowed),
    'GET /api/users/profile': () => acceptance(true),
    'GET /eula.md': () => ({ text: agreement }),
    'GET /api/upload/history': () => historyOf(),
    'GET /api/upload/stats': () => ({ json: { files: 0, bytes: 0, completed: 0, failed: 0, in_progress: 0 } }),
  };
}

/** @param routes `pending`: no answer comes */
export async function drawUpload(
  routes: Routes | 'pending' = standardRoutes(),
  tier: Tier = 'basic',
  facts: Partial<User> = {},
) {
  const user = person(tier, facts);
  Object.assign(session, { phase: 'known', user, features: user.features });
  const server = fakeServer(routes === 'pending' ? {} : routes);
  if (routes === 'pending') vi.stubGlobal('fetch', () => new Promise(() => {}));
  const onBack = vi.fn();
  const screen = await draw(<UploadScreen title="Upload Videos" notice={null} onBack={onBack} />);
  await settleLoaded();
  return { screen, server, onBack };
}

/** Waits for parts that are loaded when they are drawn, and for what they ask for. */
export async function settleLoaded(): Promise<void> {
  await settle();
  await act(async () => {
    await vi.dynamicImportSettled();
  });
  await settle();
}

/** After each test. */
export async function leaveUpload(): Promise<void> {
  await settle(() => {
    resetUploads();
    resetAlerts();
    resetSession();
    resetNavigation();
    connection.isReachable = true;
  });
  document.documentElement.dataset.form = 'desktop';
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
}

export const dialog = () => document.querySelector('[role="dialog"], [role="alertdialog"]');
export const texts = (selector: string) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
export const buttons = () =>
  [...document.querySelectorAll('button')].map((one) => one.getAttribute('aria-label') ?? one.textContent);
