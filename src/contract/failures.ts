/** The message of an error, appended to the sentences below. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : String(error);
}

/**
 * The failures (§8) that the code of `device/` reports, apart because the worker contains all of
 * them.
 */
export const deviceFailures = {
  uploadStatus: (status: number, statusText: string) => `Upload failed: ${status} ${statusText}`,
  /** Shown when a file was shared into the app and cannot be stored until it is sent. */
  noRoomForFile: 'This device has not enough room to keep it. Choose it on the Upload page instead.',
  outboxFull: 'Too many changes wait for the network. Send or discard some of them first.',
  changeNotStored: 'This change could not be stored on this device.',
  channelNotCreated: 'The channel that it needs was not created.',
};

/**
 * The sentences of §8 about what failed: constants where nothing varies, functions where something
 * does.
 */
export const failures = {
  // Start
  initializeAuthentication: 'Failed to initialize authentication',
  sessionEnded: 'Your session has ended. Please sign in again.',

  // Feed
  changeFavourite: (error: unknown) => `Failed to change the favourite: ${messageOf(error)}`,
  loadChannels: (error: unknown) => `Failed to load channels: ${messageOf(error)}`,
  /** Shown while a quadrant waits for its first playable video. */
  madePlayable: 'This video is being made playable.',
  loadSubtitles: (error: unknown) => `Failed to load subtitles: ${messageOf(error)}`,
  changeAudio: (error: unknown) => `Failed to change the audio track: ${messageOf(error)}`,
  audioNotMade: 'This audio track cannot be played.',
  loadVideos: (error: unknown) => `Failed to load videos: ${messageOf(error)}`,
  savingNotPossible: 'This browser keeps no videos: it stores nothing for long.',
  savedNotRead: 'The list could not be read.',
  /** Shown while the browser leaves a request for what it stores without an answer. */
  storageSilent: 'The storage of this browser has not answered yet.',
  noRoomToSave: (size: string) => `This device has no room for it (${size}).`,
  keepOffline: (error: unknown) => `Failed to keep it offline: ${messageOf(error)}`,
  savedEvicted: 'The browser removed it.',
  savedGone: 'It is no longer on the site.',
  savedNotSmaller: (size: string) => `It has not been made smaller yet. The original takes ${size}.`,
  savedNotPrepared: (size: string) => `The site has not prepared it yet. The original takes ${size}.`,
  savedNotInPlan: 'Your plan does not include this.',
  savedUnplayable: 'It could not be played.',
  savedTooLarge: 'It is larger than 2 GB.',
  /**
   * The internal name of a 404 in a quadrant. It is never shown: the quadrant shows the three lines
   * of the empty state instead.
   */
  noVideosAvailable: 'NO_VIDEOS_AVAILABLE',

  // Sign-in
  providerSignIn: 'OAuth login failed',
  providerDenied: 'The sign-in was not allowed there.',
  providerUnavailable: 'This provider cannot be reached now. Please try again later.',
  providerAccountExists:
    'There is an account with this email already. Sign in to it, then link the provider in Profile.',
  providerAlreadyLinked: 'This is linked to another account already.',
  providerEmailUnverified: 'The provider has not confirmed your email address.',
  providerRegistrationClosed: 'New accounts cannot be created here.',
  providerInvitationInvalid: 'This invitation is not valid any more. Please ask for another one.',
  providerSetupRequired: 'The first account is made with a password.',
  providerTooOften: 'Too many tries. Please wait a little.',

  // New passwords
  commonPassword: 'This password is one of the most common ones. Choose another one',

  // Password page
  invalidPassword: 'Invalid password',
  cookieMissing: 'This browser keeps no cookies. Allow them for this site, and try again.',
  connection: 'Connection error. Please try again.',
  /** Markdown that is shown when the news cannot be read. */
  whatsNew: "# What's New\n\nCheck back soon for updates!",

  // Upload
  signInToUpload: 'Please log in to upload videos',
  startUpload: (error: unknown) => `Failed to start upload session: ${messageOf(error)}`,
  noDestination: (filename: string) => `No upload URL found for file: ${filename}`,
  uploadNetwork: 'Upload failed due to network error',
  uploadAborted: 'Upload was aborted',
  /** Shown when the file that was picked to resume an upload is a different one. */
  otherFile: (filename: string) => `This is not the file that was chosen before. Choose ${filename} again.`,
  /** Shown when files were shared into the app and none of them could be stored. */
  sharedFilesLost: 'The shared files could not be kept on this device. Choose them on the Upload page instead.',
  /** Shown for a chosen file that the device cannot read: a folder, or a deleted file. */
  unreadableFile: 'This file cannot be read',
  /** Shown in a file's row while it is sent again from the beginning. */
  uploadBeginsAnew: 'It cannot go on where it was, and is sent from the beginning.',
  uploadForgotten: 'The server kept it for 24 hours. It is sent from the beginning.',
  /** Shown for a chosen file that is waiting or being sent already. */
  duplicateFile: 'It is in the list already',
  filesFailed: (count: number) => `${count} ${count === 1 ? 'file' : 'files'} failed to upload`,
  acceptEula: 'Failed to accept EULA. Please try again.',
  loadEula: (error: unknown) => `Failed to load the agreement: ${messageOf(error)}`,
  loadUploads: (error: unknown) => `Failed to load uploads: ${messageOf(error)}`,
  deleteUpload: (error: unknown) => `Failed to delete upload: ${messageOf(error)}`,

  // Tag management and video tagging
  loadTags: (error: unknown) => `Failed to load tags: ${messageOf(error)}`,
  deleteTags: (error: unknown) => `Failed to delete tags: ${messageOf(error)}`,
  deleteTag: (error: unknown) => `Failed to delete tag: ${messageOf(error)}`,
  createTag: (error: unknown) => `Failed to create tag: ${messageOf(error)}`,
  updateTag: (error: unknown) => `Failed to update tag: ${messageOf(error)}`,
  mergeTag: (error: unknown) => `Failed to merge tags: ${messageOf(error)}`,
  tagsKept: (kept: number, all: number, names: string, error: unknown) =>
    `Failed to delete tags: ${kept} of ${all} ${kept === 1 ? 'is' : 'are'} still there (${names}). ${messageOf(error)}`,
  loadDetails: (error: unknown) => `Failed to load details: ${messageOf(error)}`,
  changeDetails: (error: unknown) => `Failed to change the details: ${messageOf(error)}`,
  reportVideo: (error: unknown) => `Failed to report the video: ${messageOf(error)}`,
  hideVideo: (error: unknown) => `Failed to hide the video: ${messageOf(error)}`,
  loadVideoTags: (error: unknown) => `Failed to load video tags: ${messageOf(error)}`,
  removeTag: (error: unknown) => `Failed to remove tag: ${messageOf(error)}`,
  assignTags: (error: unknown) => `Failed to assign tags: ${messageOf(error)}`,
  videosUnchanged: (failed: number, all: number, error: unknown) =>
    `${failed} of ${all} videos ${failed === 1 ? 'is as it was' : 'are as they were'}. ${messageOf(error)}`,

  // Changes that wait for the network
  changesNotSent: 'Not everything could be sent.',

  // Plans
  loadPlans: 'Failed to load subscription plans',
  signInToUpgrade: 'Please sign in to upgrade your subscription',
  upgrade: 'Upgrade failed',

  // Profile
  saveSettings: 'Failed to save settings. Please try again.',
  changeAccount: (error: unknown) => `Failed to change the account: ${messageOf(error)}`,
  saveBlocklist: 'Failed to save blocklist changes.',
  clearBlocklist: 'Failed to clear blocklist.',

  // Watched videos
  loadWatched: (error: unknown) => `Failed to load what you have watched: ${messageOf(error)}`,
  forgetWatched: (error: unknown) => `Failed to forget what you have watched: ${messageOf(error)}`,

  // Performance Dashboard
  loadPerformance: (error: unknown) => `Failed to load performance data: ${messageOf(error)}`,
  noPerformanceData: 'No performance data available',
  loadViewers: (error: unknown) => `Failed to load who is watching: ${messageOf(error)}`,
  loadVenues: (error: unknown) => `Failed to load venues: ${messageOf(error)}`,
  forgetVenue: (error: unknown) => `Failed to forget the venue: ${messageOf(error)}`,
  loadTroubledVideos: (error: unknown) => `Failed to load videos with trouble: ${messageOf(error)}`,

  // Administration
  loadPeople: (error: unknown) => `Failed to load people: ${messageOf(error)}`,
  loadInvitations: (error: unknown) => `Failed to load invitations: ${messageOf(error)}`,
  loadRemovedUploads: (error: unknown) => `Failed to load removed uploads: ${messageOf(error)}`,
  loadReports: (error: unknown) => `Failed to load the reports: ${messageOf(error)}`,
  loadDuplicates: (error: unknown) => `Failed to load duplicates: ${messageOf(error)}`,
  loadLibrary: (error: unknown) => `Failed to load the library: ${messageOf(error)}`,
  loadEncodings: (error: unknown) => `Failed to load encodings: ${messageOf(error)}`,
  loadJobs: (error: unknown) => `Failed to load jobs: ${messageOf(error)}`,
  loadAbout: (error: unknown) => `Failed to load facts about the server: ${messageOf(error)}`,
  loadSettings: (error: unknown) => `Failed to load settings: ${messageOf(error)}`,
  loadFolders: (error: unknown) => `Failed to load folders: ${messageOf(error)}`,
  loadActivity: (error: unknown) => `Failed to load activity: ${messageOf(error)}`,
  loadTagChanges: (error: unknown) => `Failed to load what was done to channels: ${messageOf(error)}`,
  importFormat: 'Choose a file that ends with .csv or .json.',
  importTooLarge: (characters: number) =>
    `This file is too large. An import takes ${characters.toLocaleString()} characters at most.`,
  importEmpty: 'This file is empty.',
  importEncoding: 'This file is not UTF-8 text. Save it as UTF-8, and choose it again.',
  readImportFile: 'This file could not be read.',
};
