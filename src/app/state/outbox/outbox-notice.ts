import { proxy } from 'valtio/vanilla';

/** Whether the outbox is loaded, and may have something to say. Apart from the rest, which the start does not need. */
export const outboxNotice = proxy({ isLoaded: false });
