/**
 * The sentences of §8, one export each: `import * as failures from '#contract/failures.ts'`.
 * Constants where nothing varies, functions where something does.
 */

/** The message of an error, appended to the sentences below. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : String(error);
}

// Sentences that the app starts with
// biome-ignore lint/performance/noBarrelFile: this is the list of all sentences
export {
  applyFilters,
  httpStatus,
  loadVideo,
  noVideoData,
  tapToPlay,
  videoError,
} from './start-failures.ts';

// Start
export const initializeAuthentication = 'Failed to initialize authentication';
export const sessionEnded = 'Your session has ended. Please sign in again.';

// Feed
export const loadChannels = (error: unknown) => `Failed to load channels: ${messageOf(error)}`;
/** Shown while a quadrant waits for its first playable video. */
export const madePlayable = 'This video is being made playable.';
export const loadSubtitles = (error: unknown) => `Failed to load subtitles: ${messageOf(error)}`;
export const loadVideos = (error: unknown) => `Failed to load videos: ${messageOf(error)}`;
/**
 * The internal name of a 404 in a quadrant. It is never shown: the quadrant shows the three lines
 * of the empty state instead.
 */
export const noVideosAvailable = 'NO_VIDEOS_AVAILABLE';

// Sign-in
export const providerSignIn = 'OAuth login failed';
export const providerDenied = 'The sign-in was not allowed there.';
export const providerUnavailable = 'This provider cannot be reached now. Please try again later.';
export const providerAccountExists =
  'There is an account with this email already. Sign in to it, then link the provider in Profile.';
export const providerAlreadyLinked = 'This is linked to another account already.';
export const providerEmailUnverified = 'The provider has not confirmed your email address.';
export const providerRegistrationClosed = 'New accounts cannot be created here.';
export const providerInvitationInvalid = 'This invitation is not valid any more. Please ask for another one.';
export const providerSetupRequired = 'The first account is made with a password.';

// New passwords
export const commonPassword = 'This password is one of the most common ones. Choose another one';

// Password page
export const invalidPassword = 'Invalid password';
export const connection = 'Connection error. Please try again.';
/** Markdown that is shown when the news cannot be read. */
export const whatsNew = "# What's New\n\nCheck back soon for updates!";

// Upload
export const signInToUpload = 'Please log in to upload videos';
export const startUpload = (error: unknown) => `Failed to start upload session: ${messageOf(error)}`;
export const noDestination = (filename: string) => `No upload URL found for file: ${filename}`;
export const uploadStatus = (status: number, statusText: string) => `Upload failed: ${status} ${statusText}`;
export const uploadNetwork = 'Upload failed due to network error';
export const uploadAborted = 'Upload was aborted';
/** Shown when the file that was picked to resume an upload is a different one. */
export const otherFile = (filename: string) => `This is not the file that was chosen before. Choose ${filename} again.`;
/** Shown when a file was shared into the app and cannot be stored until it is sent. */
export const noRoomForFile = 'This device has not enough room to keep it. Choose it on the Upload page instead.';
/** Shown when files were shared into the app and none of them could be stored. */
export const sharedFilesLost =
  'The shared files could not be kept on this device. Choose them on the Upload page instead.';
/** Shown for a chosen file that the device cannot read: a folder, or a deleted file. */
export const unreadableFile = 'This file cannot be read';
/** Shown in a file's row while it is sent again from the beginning. */
export const uploadBeginsAnew = 'It cannot go on where it was, and is sent from the beginning.';
export const uploadForgotten = 'The server kept it for 24 hours. It is sent from the beginning.';
/** Shown for a chosen file that is waiting or being sent already. */
export const duplicateFile = 'It is in the list already';
export const filesFailed = (count: number) => `${count} ${count === 1 ? 'file' : 'files'} failed to upload`;
export const acceptEula = 'Failed to accept EULA. Please try again.';
export const loadEula = (error: unknown) => `Failed to load the agreement: ${messageOf(error)}`;
export const loadUploads = (error: unknown) => `Failed to load uploads: ${messageOf(error)}`;
export const deleteUpload = (error: unknown) => `Failed to delete upload: ${messageOf(error)}`;

// Tag management and video tagging
export const loadTags = (error: unknown) => `Failed to load tags: ${messageOf(error)}`;
export const deleteTags = (error: unknown) => `Failed to delete tags: ${messageOf(error)}`;
export const deleteTag = (error: unknown) => `Failed to delete tag: ${messageOf(error)}`;
export const createTag = (error: unknown) => `Failed to create tag: ${messageOf(error)}`;
export const updateTag = (error: unknown) => `Failed to update tag: ${messageOf(error)}`;
export const mergeTag = (error: unknown) => `Failed to merge tags: ${messageOf(error)}`;
export const tagsKept = (kept: number, all: number, names: string, error: unknown) =>
  `Failed to delete tags: ${kept} of ${all} ${kept === 1 ? 'is' : 'are'} still there (${names}). ${messageOf(error)}`;
export const loadVideoTags = (error: unknown) => `Failed to load video tags: ${messageOf(error)}`;
export const removeTag = (error: unknown) => `Failed to remove tag: ${messageOf(error)}`;
export const assignTags = (error: unknown) => `Failed to assign tags: ${messageOf(error)}`;
export const videosUnchanged = (failed: number, all: number, error: unknown) =>
  `${failed} of ${all} videos ${failed === 1 ? 'is as it was' : 'are as they were'}. ${messageOf(error)}`;

// Changes that wait for the network
export const outboxFull = 'Too many changes wait for the network. Send or discard some of them first.';
export const changeNotStored = 'This change could not be stored on this device.';
export const channelNotCreated = 'The channel that it needs was not created.';
export const changesNotSent = 'Not everything could be sent.';

// Plans
export const loadPlans = 'Failed to load subscription plans';
export const signInToUpgrade = 'Please sign in to upgrade your subscription';
export const upgrade = 'Upgrade failed';

// Profile
export const saveSettings = 'Failed to save settings. Please try again.';
export const saveBlocklist = 'Failed to save blocklist changes.';
export const clearBlocklist = 'Failed to clear blocklist.';

// Performance Dashboard
export const loadPerformance = (error: unknown) => `Failed to load performance data: ${messageOf(error)}`;
export const noPerformanceData = 'No performance data available';
export const loadViewers = (error: unknown) => `Failed to load who is watching: ${messageOf(error)}`;
export const loadTroubledVideos = (error: unknown) => `Failed to load videos with trouble: ${messageOf(error)}`;

// Administration
export const loadPeople = (error: unknown) => `Failed to load people: ${messageOf(error)}`;
export const loadInvitations = (error: unknown) => `Failed to load invitations: ${messageOf(error)}`;
export const loadRemovedUploads = (error: unknown) => `Failed to load removed uploads: ${messageOf(error)}`;
export const loadLibrary = (error: unknown) => `Failed to load the library: ${messageOf(error)}`;
export const loadEncodings = (error: unknown) => `Failed to load encodings: ${messageOf(error)}`;
export const loadJobs = (error: unknown) => `Failed to load jobs: ${messageOf(error)}`;
export const loadAbout = (error: unknown) => `Failed to load facts about the server: ${messageOf(error)}`;
export const loadActivity = (error: unknown) => `Failed to load activity: ${messageOf(error)}`;
export const loadTagChanges = (error: unknown) => `Failed to load what was done to channels: ${messageOf(error)}`;
export const importFormat = 'Choose a file that ends with .csv or .json.';
export const importTooLarge = (characters: number) =>
  `This file is too large. An import takes ${characters.toLocaleString()} characters at most.`;
export const importEmpty = 'This file is empty.';
export const importEncoding = 'This file is not UTF-8 text. Save it as UTF-8, and choose it again.';
export const readImportFile = 'This file could not be read.';
