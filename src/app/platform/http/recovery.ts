import { createSignal } from '../signal.ts';

/**
 * The server may answer again what it has left unanswered: the browser came online, a revision changed, a poll of the status or a probe was answered.
 * Waits end, and what has been asked for a while is asked anew.
 */
export const recovered = createSignal();
