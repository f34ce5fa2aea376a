/** In the request for a list: the viewer's mark. Without it the server alone answers. */
export const markHeader = 'X-Viewer-Mark';

/** In an answer out of the cache: when the server gave it, in epoch milliseconds. */
export const cachedAtHeader = 'X-Cached-At';
