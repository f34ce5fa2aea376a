/* The sentences of `failures.ts` that the app starts with. They stand apart because the app's first files hold this whole file. */

export const httpStatus = (status: number) => `HTTP error! status: ${status}`;
export const applyFilters = 'Failed to apply filters';
export const noVideoData = 'No video data received';
export const loadVideo = 'Failed to load video';
export const videoError = 'Video error - loading next...';
export const tapToPlay = 'Tap to play';
