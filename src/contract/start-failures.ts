/**
 * The sentences about failures (§8) that the app starts with, apart from the others because the
 * app's first chunk contains all of them.
 */
export const startFailures = {
  httpStatus: (status: number) => `HTTP error! status: ${status}`,
  applyFilters: 'Failed to apply filters',
  noVideoData: 'No video data received',
  loadVideo: 'Failed to load video',
  videoError: 'Video error - loading next...',
  tapToPlay: 'Tap to play',
  lowPower: 'Low Power Mode: tap to play',
};
