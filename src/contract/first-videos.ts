/** Where the page keeps what `pickFirstVideos` answered, for the script that starts the videos. */
export const firstVideosId = 'first-videos';

const place = new RegExp(`(<script type="application/json" id="${firstVideosId}">)(?=</script>)`);

/**
 * Puts the first videos into the page. A page without a place for them stays as it is, and asks by itself.
 * @param answer JSON
 */
export function fillFirstVideos(page: string, answer: string): string {
  return page.replace(place, (tag) => tag + answer.replace(/</g, '\\u003c'));
}
