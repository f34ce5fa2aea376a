import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import { whenIdle } from '#app/platform/when-idle.ts';
import { isOutboxEmpty } from '#device/outbox/outbox-presence.ts';

/** Where something waits since an earlier page, the outbox is loaded and sends it. */
export function watchOutbox(): void {
  whenIdle(() => void startIfNeeded());
}

/** Without its file everything waits for the next start, or the next change. */
async function startIfNeeded(): Promise<void> {
  if (await isOutboxEmpty().catch(() => true)) return;
  const outbox = await loadWithinLimit(() => import('./outbox-session.ts')).catch(() => null);
  outbox?.startOutbox();
}
