/** What the app says when something was done, was declined, or is under way (§8). */

export const eulaAccepted = 'EULA accepted successfully! You can now upload videos.';
export const eulaDeclined = 'You must accept the EULA to upload videos. You can access the EULA again by refreshing the page.';
/** Only while a file is moving that could not be resumed by itself (§4 Upload). */
export const uploadsInProgress = 'Uploads are in progress. Do not close this window: closing cancels uploads.';
export const settingsSaved = 'Settings saved successfully!';
export const blocklistUpdated = 'Blocklist updated successfully!';
export const allUnblocked = 'All channels unblocked successfully!';
