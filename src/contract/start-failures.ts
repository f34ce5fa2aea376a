/*
 * The sentences of `failures.ts` that the app starts with, in a file of their own because the app's
 * first chunk contains all of it.
 */

export const httpStatus = (status: number) => `HTTP error! status: ${status}`;
export const applyFilters = 'Failed to apply filters';
export const noVideoData = 'No video data received';
export const loadVideo = 'Failed to load video';
export const videoError = 'Video error - loading next...';
export const tapToPlay = 'Tap to play';
