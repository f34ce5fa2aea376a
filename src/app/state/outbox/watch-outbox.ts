import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import { whenIdle } from '#app/platform/when-idle.ts';
import { countWaiting } from '#device/waiting-work.ts';

/** Where something waits since an earlier page, the outbox is loaded and sends it. */
export function watchOutbox(): void {
  whenIdle(() => void startIfNeeded());
}

/** Without its file everything waits for the next start, or the next change. */
async function startIfNeeded(): Promise<void> {
  const [changes] = await countWaiting().catch(() => [0]);
  if (!changes) return;
  const outbox = await loadWithinLimit(() => import('./outbox-session.ts')).catch(() => null);
  outbox?.startOutbox();
}
