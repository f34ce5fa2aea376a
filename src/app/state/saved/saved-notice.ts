import { proxy } from 'valtio/vanilla';
import { createSignal } from '#app/platform/signal.ts';

/**
 * The facts that the start needs of saved videos. They have a file of their own, so that it does
 * not load the rest.
 *
 * `playable`: how many of the viewer's videos play from this device; null until it is known.
 */
export const savedNotice = proxy<{ playable: number | null }>({ playable: null });

/** Object URLs of saved videos that are over: nothing may play them any more. */
export const savedUrlsEnded = createSignal<readonly string[]>();
