import { proxy } from 'valtio/vanilla';

/*
 * The facts about unsent changes and reports that the feed's first files share with modules which
 * load later.
 */

/** Whether the outbox is loaded, and may have something to show. */
export const outboxNotice = proxy({ isLoaded: false });

/**
 * `untold`: ids of the videos that came to the screen and that the server has not been told of yet,
 * oldest first; `told`: the last ones of which it was, which it forgets if it is killed at once.
 */
export const shownVideos = proxy<{ untold: string[]; told: string[] }>({ untold: [], told: [] });
