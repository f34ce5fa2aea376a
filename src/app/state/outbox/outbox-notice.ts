import { proxy } from 'valtio/vanilla';

/** How many changes of the signed-in user wait or were refused. Apart from the rest, which the start does not need. */
export const outboxNotice = proxy({ count: 0 });
