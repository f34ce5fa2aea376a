import { proxy } from 'valtio/vanilla';

/**
 * `untold`: ids of the videos that came to the screen and that the server has not been told of yet,
 * oldest first. The feed's first files write it; `watched-log.ts`, which loads later, reads it.
 */
export const shownVideos = proxy<{ untold: string[] }>({ untold: [] });
