import { DefaultHttpStack } from 'tus-js-client';
import { locks } from '#app/platform/capabilities.ts';
import { reached } from '#app/platform/http/send.ts';
import { PutAttempt } from '#app/transfer/put-attempt.ts';
import { leaseSeconds } from '#app/transfer/sending-tab.ts';
import { TusAttempt } from '#app/transfer/tus-attempt.ts';
import type { EngineDeps } from '#app/transfer/upload-engine.ts';
import { UploadEngine } from '#app/transfer/upload-engine.ts';
import { facts } from '#device/facts.ts';
import type { TabTurn } from '#device/tab-turn.ts';
import { LeaseTurn, LockTurn } from '#device/tab-turn.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { readBodyBound } from './body-bound.ts';
import { UploadCalls } from './upload-calls.ts';
import { readLink } from './upload-link.ts';

/** What sends one person's files by this browser's network. */
export function createEngine(
  userId: string,
  deps: Pick<EngineDeps, 'openSource' | 'onChange' | 'onRefused'>,
): UploadEngine {
  const stack = new DefaultHttpStack({});
  return new UploadEngine({
    ...deps,
    userId,
    records: uploadStore,
    calls: new UploadCalls(userId),
    createAttempt: (protocol, plan, events) =>
      protocol === 'tus' ? new TusAttempt(plan, events, stack) : new PutAttempt(plan, events, stack),
    readLink,
    maxBodyBytes: readBodyBound,
    chance: Math.random,
    // Asks at once whether the server can be reached.
    onUnanswered: () => reached.emit('silent'),
  });
}

/** Which tab of this browser sends. */
export function uploadsTurn(): TabTurn {
  const manager = locks();
  return manager ? new LockTurn(manager, 'fourfold.uploads') : new LeaseTurn(facts, 'uploads-lease', leaseSeconds);
}
