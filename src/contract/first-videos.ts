/**
 * The id of the page's element that holds the answer of `pickFirstVideos`, for the script that
 * starts the videos.
 */
export const firstVideosId = 'first-videos';

/** Stands in the element in place of an answer when the worker could not reach the server. */
export const serverAway = '"away"';

const place = new RegExp(`(<script type="application/json" id="${firstVideosId}">)(?=</script>)`);

/**
 * Puts the first videos into the page. A page without an element for them is unchanged, and asks by
 * itself.
 * @param answer JSON
 */
export function fillFirstVideos(page: string, answer: string): string {
  return page.replace(place, (tag) => tag + answer.replace(/</g, '\\u003c'));
}
