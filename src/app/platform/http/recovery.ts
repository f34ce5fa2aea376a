import { createSignal } from '../signal.ts';

/**
 * The server may answer again after it did not: the browser came online, a revision changed, a poll of the status or a
 * probe was answered. Retry waits end, and overdue requests are sent again.
 */
export const recovered = createSignal();
