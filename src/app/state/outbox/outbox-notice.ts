import { proxy } from 'valtio/vanilla';

/**
 * Whether the outbox is loaded, and may have something to show. It has a file of its own because
 * the start does not load the rest.
 */
export const outboxNotice = proxy({ isLoaded: false });
