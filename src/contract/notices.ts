import { limits } from './limits.ts';

/** The messages about actions that succeeded, were declined or are in progress (§8). */
export const notices = {
  eulaAccepted: 'EULA accepted successfully! You can now upload videos.',
  eulaDeclined: 'You must accept the EULA to upload videos. You can access the EULA again by refreshing the page.',
  /** Shown only while a file is being sent that could not be resumed automatically (§4 Upload). */
  uploadsInProgress: 'Uploads are in progress. Do not close this window: closing cancels uploads.',
  uploadsEndWithPage: 'This browser stores nothing for long: files that wait are lost when this page is closed.',
  uploadsNeedApproval: 'An administrator looks at each video before others see it.',
  uploadsTellPlaces: 'Recordings may carry the place they were made at.',
  uploadsNeedScreen: 'Keep the screen on while uploading: uploads stop when it turns off.',
  filesShared: (count: number) =>
    count === 1 ? '1 video was shared into the app' : `${count} videos were shared into the app`,
  uploadsBegun: (count: number) => `Uploading ${count} ${count === 1 ? 'file' : 'files'}.`,
  uploadFailed: (name: string) => `${name} failed to upload.`,
  videosUploaded: (count: number) => (count === 1 ? '1 video is uploaded.' : `All ${count} videos are uploaded.`),
  someVideosUploaded: (count: number, total: number) =>
    `${count} of ${total} videos ${count === 1 ? 'is' : 'are'} uploaded.`,
  uploadsBeforeSignOut: (count: number) =>
    count === 1
      ? '1 video is still being uploaded. If you sign out, it is paused on this device until you sign in here again. Nobody else sees or sends it.'
      : `${count} videos are still being uploaded. If you sign out, they are paused on this device until you sign in here again. Nobody else sees or sends them.`,
  savedBeforeSignOut: (count: number, size: string) =>
    count === 1
      ? `1 saved video (${size}) is removed from this device.`
      : `${count} saved videos (${size}) are removed from this device.`,
  savedMayBeRemoved: 'The browser may remove saved videos when space runs low.',
  savedUntilUnused: 'Safari removes them after 7 days without a visit. Add to Home Screen keeps them.',
  savedWhileOpen:
    'Saved videos play while this page is open. To start without the server, open Fourfold by its secure address.',
  secureAddressWay:
    'The server has a secure address when it is started with TLS=local. A page of its own then gives each device the certificate.',
  uploadsEndWithAccount:
    'Videos that are not uploaded yet are not sent any more. The files themselves stay where they are.',
  settingsSaved: 'Settings saved successfully!',
  /**
   * Shown in a form that changes an account without a password, before and after the sign-in at a
   * provider.
   */
  proofNeeded: 'You have no password here. Confirm that it is you with a provider that you sign in with.',
  proofGiven: 'Confirmed. You can go on.',
  /**
   * The confirmation before says that this cannot be undone: the person who deleted them cannot,
   * administrators can.
   */
  tagsDeleted: (count: number) =>
    count === 1
      ? `1 tag was deleted. An administrator can bring it back for ${limits.tagChangeDays} days.`
      : `${count} tags were deleted. An administrator can bring them back for ${limits.tagChangeDays} days.`,
  tagMerging: (name: string, into: string) => `${name} is being merged into ${into}.`,
  tagForSome: 'Others do not see it, nor the videos that are only in such channels.',
  tagMergeOpens: 'They are then shown to whoever may see that tag.',
  tagOpens: 'Videos that are in no other channel are then shown to everybody.',
  tagsReadOnly: 'Only administrators can change tags here.',
  allVideosTagged: 'All videos have tags.',
  blocklistUpdated: 'Blocklist updated successfully!',
  allUnblocked: 'All channels unblocked successfully!',
  sidecarsStarted: 'The files are being read. It is listed below.',
  personUndoStarted: 'The changes are being undone. It is listed below.',
  audioPrepared: 'The audio track is being prepared.',
  favouriteAdded: 'Added to Favourites.',
  favouriteRemoved: 'Removed from Favourites.',
  favouritesNeedAccount: 'Sign in to keep favourites.',
  watchedForgotten: 'Forgotten. All videos count as new.',
  watchedIsPrivate: 'What you watch is remembered for this, for you alone.',
  roundBegins: (count: number) =>
    count === 1 ? 'The only one was shown. It comes again.' : `All ${count} were shown. They come again.`,
  videoReported: 'Thank you. An administrator will look at it.',
  /** Told to screen readers while the entry that creates the channel stands there. */
  channelIsNew: (name: string) => `No channel is called ${name} yet.`,
  channelCreated: (name: string) => `${name} was created.`,
  channelsExported: (filename: string, size: string) => `Saved as ${filename} (${size}).`,
  importStarted: 'The import has begun. It is listed below.',
  /** A change that was made offline, or that queues behind other waiting changes. */
  changeWaits: 'Stored on this device. It will be sent when the network is back.',
  changesWait: (count: number) =>
    count === 1 ? '1 change waits for the network' : `${count} changes wait for the network`,
  changesRefused: (count: number) => (count === 1 ? '1 change was refused' : `${count} changes were refused`),
  changesSent: 'All changes have been sent.',
  changesEndWithPage: 'This browser stores nothing for long: changes that wait are lost when this page is closed.',
  changesBeforeSignOut: (count: number) =>
    count === 1
      ? '1 change has not been sent yet. Keep it on this device, and it is sent when you sign in here within 7 days. Nobody else sees or sends it.'
      : `${count} changes have not been sent yet. Keep them on this device, and they are sent when you sign in here within 7 days. Nobody else sees or sends them.`,
  changesEndWithAccount: 'Changes that still wait for the network are discarded with it.',
};
