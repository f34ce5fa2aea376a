import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import { whenIdle } from '#app/platform/when-idle.ts';
import { countWaiting } from '#device/waiting-work.ts';

/** Where changes or files wait since an earlier page, what sends them is loaded. */
export function watchWaitingWork(): void {
  whenIdle(() => void startIfNeeded());
}

/** Without its file everything waits for the next start, or the next change. */
async function startIfNeeded(): Promise<void> {
  const [changes, files] = await countWaiting().catch(() => []);
  if (changes) await start(async () => (await import('./outbox/outbox-session.ts')).startOutbox());
  if (files) await start(async () => (await import('./uploads/upload-session.ts')).startUploads());
}

function start(load: () => Promise<void>): Promise<void> {
  return loadWithinLimit(load).catch(() => {});
}
