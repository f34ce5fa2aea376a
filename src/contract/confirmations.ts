import { limits } from './limits.ts';

/** The questions that the app asks before an action that cannot be undone (§8). */
export const confirmations = {
  clearRunningUploads:
    'Uploads are in progress. Are you sure you want to clear all files? This will cancel ongoing uploads.',
  deleteUpload: (filename: string) => `Are you sure you want to delete the upload ${filename}? The video goes too.`,
  deleteUnfinishedUpload: (filename: string) => `Are you sure you want to delete the upload ${filename}?`,
  deleteTags: (count: number) =>
    `Are you sure you want to delete ${count} ${count === 1 ? 'tag' : 'tags'}? This action cannot be undone.`,
  deleteTag: 'Are you sure you want to delete this tag?',
  deleteTagPermanently: (name: string) =>
    `Are you sure you want to delete ${name} permanently? This action cannot be undone.`,
  unblockAll: 'Are you sure you want to unblock all channels? This will make all channels visible again.',
  removeSaved: (count: number) =>
    count === 1
      ? 'Are you sure you want to remove 1 video from this device? The site keeps it.'
      : `Are you sure you want to remove ${count} videos from this device? The site keeps them.`,
  discardChanges: 'Are you sure you want to discard all waiting changes? They are not sent.',
  deleteAccount:
    'Are you sure you want to delete your account? Your uploads stay, without an owner. This action cannot be undone.',
  signOutEverywhere: 'Are you sure you want to sign out everywhere? This device is signed out as well.',
  forgetVenue: (name: string) =>
    `Are you sure you want to take ${name} off this list? A screen that still reports comes back within a minute.`,
  forgetWatched: 'Are you sure you want to forget what you have watched? All videos count as new.',
  deleteUser: (name: string) =>
    `Are you sure you want to delete the account of ${name}? Their uploads stay, without an owner. This action cannot be undone.`,
  endUserSessions: (name: string) => `Are you sure you want to sign ${name} out everywhere?`,
  revokeInvitation: 'Are you sure you want to revoke this invitation? Its link stops working.',
  hideVideo: (filename: string) =>
    `Are you sure you want to hide ${filename}? Nobody sees it until an administrator shows it again.`,
  removeDuplicate: (path: string) =>
    `Are you sure you want to remove ${path}? It can be brought back for ${limits.uploadKeptDays} days, with its channels and favourites.`,
  purgeUpload: (filename: string) => `Are you sure you want to delete ${filename} now? This action cannot be undone.`,
  removeFolder: (folder: string) =>
    `Are you sure you want to take ${folder} out of the library? Its videos are no longer shown; the files stay.`,
  clearCache:
    'Are you sure you want to clear the cache? Posters are missing until they are made again, and videos that need an encoding until somebody waits for them.',
  cancelWaitingJobs: (count: number, kind: string) =>
    `Are you sure you want to cancel ${count} waiting ${count === 1 ? 'job' : 'jobs'} of ${kind}?`,
  /** @param span 'the last hour' */
  undoPersonTagChanges: (name: string, span: string) =>
    `Are you sure you want to undo everything that ${name} did to channels in ${span}? Channels that they made are removed, and can be brought back for ${limits.tagChangeDays} days.`,
  undoTagChange: (change: string) =>
    `Are you sure you want to undo this: ${change}? Its channels and their videos become what they were before.`,
};
