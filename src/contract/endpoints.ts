import { endpoint } from './endpoint.ts';
import type {
  AccountDeletion,
  AuthReply,
  DeviceApproval,
  DevicePoll,
  DeviceRequest,
  EulaAcceptance,
  EulaAccepted,
  IdentityList,
  InvitationCreation,
  InvitationLink,
  InvitationList,
  InvitationOffer,
  InvitationQuestion,
  LinkTicket,
  PasswordChange,
  ProviderList,
  ProviderSignInQuery,
  Registration,
  SessionList,
  SignIn,
  SiteEntry,
  SitePassword,
  WaitingDevice,
} from './entities/account.ts';
import type { DuplicateList, DuplicateListQuery } from './entities/duplicate.ts';
import type { ConfigUpdate, ConfigUpdated, HiddenIds, HiddenIdsQuery, QualityAnswer, QualityQuestion, VideoUrl, VideoUrlQuestion } from './entities/feed.ts';
import type { IdParams, PathParams, PathTagParams, ProviderParams, QuadrantParams, SubtitleParams, UploadParams } from './entities/fields.ts';
import type {
  EncodingOverview,
  HiddenList,
  HiddenListQuery,
  JobKindList,
  JobKindQuestion,
  JobList,
  JobListQuery,
  JobsChanged,
  Library,
  ReportCreation,
  ReportList,
  ReportListQuery,
  UnplayableList,
  UnplayableListQuery,
} from './entities/library.ts';
import type {
  ActiveViewers,
  Bandwidth,
  BandwidthQuery,
  Performance,
  PerformanceAccepted,
  PerformanceAlerts,
  PerformanceQuery,
  PerformanceReport,
  TroubledVideos,
  TroubledVideosQuery,
  Venues,
} from './entities/performance.ts';
import type { About, ActivityList, ActivityListQuery, CacheCleared, Debug, Done, FolderList, FolderQuery, Health, SiteSettings, SiteSettingsUpdate } from './entities/site.ts';
import type {
  FolderChannels,
  FolderChannelsUpdate,
  TagAliasesUpdate,
  TagChangeList,
  TagChangeListQuery,
  TagChangeReply,
  TagCreation,
  TagExportQuery,
  TagImportReply,
  TagImportStart,
  TagList,
  TagListQuery,
  TagMergeStart,
  TagPersonUndoStart,
  TagReply,
  TagUpdate,
} from './entities/tag.ts';
import type { AllTaggingList, AllTaggingQuery, FavouriteIds, TagAssignment, TaggingList, TaggingQuery, VideoList, VideoReply, VideosByTagsQuery, VideoTags } from './entities/tagging.ts';
import type {
  RemovedUploadList,
  RemovedUploadListQuery,
  UploadCompleted,
  UploadCompletion,
  UploadHistory,
  UploadHistoryQuery,
  UploadKey,
  UploadProgress,
  UploadSession,
  UploadStart,
  UploadStats,
  UploadStatsQuery,
} from './entities/upload.ts';
import type {
  Blocklist,
  BlocklistUpdate,
  ManagedUser,
  PlanList,
  ProfileUpdate,
  SubscriptionUpdate,
  Upgrade,
  Upgraded,
  UploaderProfile,
  UserList,
  UserListQuery,
  UserReply,
  UserUpdate,
} from './entities/user.ts';
import type {
  CheckedVideos,
  StreamQuery,
  SubtitleList,
  VersionQuery,
  VideoCheckQuestion,
  VideoDetailsReply,
  VideoDetailsUpdate,
  WatchedList,
  WatchedListQuery,
  WatchedReport,
} from './entities/video.ts';
import { limits } from './limits.ts';

/*
 * Every call of §7, one export each: its request, its reply, who may make it, and the facts that
 * differ from the usual ones (`CallFacts`). Lists in a query are joined by commas (`joinIds`). A
 * reply of null is a 204, or a redirect that the browser follows by itself.
 */

/** A body that is not JSON: a video or a picture. */
export type Bytes = ArrayBuffer;
/** Markdown or metrics as text. */
export type Text = string;

// Calls that the app starts with
// biome-ignore lint/performance/noBarrelFile: this is the list of all calls
export { pickFirstVideos, pickVideo, readConfig, readHealth, readProfile, readStatus, refreshSession, signOut } from './start.ts';

// Site gate and start-up
export const enterSite = endpoint<{ body: SitePassword; reply: SiteEntry }>('POST', '/api/password-auth', 'open', {
  isRepeatable: false,
});
export const readWhatsNew = endpoint<{ reply: Text }>('GET', '/whats-new.md', 'open');
export const readEula = endpoint<{ reply: Text }>('GET', '/eula.md', 'open');
export const readReadiness = endpoint<{ reply: Health }>('GET', '/readyz', 'open', {
  needsDatabase: false,
  deadlineSeconds: 5,
  refused: 'never',
});
export const readMetrics = endpoint<{ reply: Text }>('GET', '/metrics', 'key', {
  needsDatabase: false,
  deadlineSeconds: 5,
  refused: 'never',
});

// Signing in and out
export const register = endpoint<{ body: Registration; reply: AuthReply }>('POST', '/auth/register', 'anyone', {
  expiredToken: 'ignored',
});
export const openInvitation = endpoint<{ body: InvitationQuestion; reply: InvitationOffer }>('POST', '/auth/invitation', 'anyone', {
  expiredToken: 'ignored',
  isRepeatable: false,
});
export const signIn = endpoint<{ body: SignIn; reply: AuthReply }>('POST', '/auth/login', 'anyone', {
  expiredToken: 'ignored',
});
export const signOutEverywhere = endpoint<{ reply: null }>('POST', '/auth/logout-all', 'user');
export const readMe = endpoint<{ reply: UserReply }>('GET', '/auth/me', 'user');
export const changePassword = endpoint<{ body: PasswordChange; reply: null }>('POST', '/auth/change-password', 'user');
export const listSessions = endpoint<{ reply: SessionList }>('GET', '/auth/sessions', 'user');
export const endSession = endpoint<{ params: IdParams; reply: null }>('DELETE', '/auth/sessions/{id}', 'user');

// Third-party sign-in
export const listProviders = endpoint<{ reply: ProviderList }>('GET', '/auth/oauth/providers', 'anyone', {
  expiredToken: 'ignored',
});
export const createLinkTicket = endpoint<{ params: ProviderParams; reply: LinkTicket }>('POST', '/auth/oauth/{provider}/link-ticket', 'user', {
  isRepeatable: false,
});
export const startProviderSignIn = endpoint<{ params: ProviderParams; query: ProviderSignInQuery; reply: null }>('GET', '/auth/oauth/{provider}/login', 'anyone', {
  expiredToken: 'ignored',
  deadlineSeconds: 30,
});
export const finishProviderSignIn = endpoint<{ params: ProviderParams; query: object; reply: Text }>('GET', '/auth/oauth/{provider}/callback', 'anyone', {
  expiredToken: 'ignored',
  deadlineSeconds: 30,
});
export const listIdentities = endpoint<{ reply: IdentityList }>('GET', '/auth/identities', 'user');
export const unlinkIdentity = endpoint<{ params: ProviderParams; reply: null }>('DELETE', '/auth/identities/{provider}', 'user');

// Sign-in on a TV
export const startDeviceSignIn = endpoint<{ reply: DeviceRequest }>('POST', '/auth/device', 'anyone', {
  expiredToken: 'ignored',
  isRepeatable: false,
});
export const pollDeviceSignIn = endpoint<{ body: DevicePoll; reply: AuthReply }>('POST', '/auth/device/token', 'anyone', {
  expiredToken: 'ignored',
  isRepeatable: false,
});
export const findWaitingDevice = endpoint<{ body: DeviceApproval; reply: WaitingDevice }>('POST', '/auth/device/lookup', 'user', { isRepeatable: false });
export const approveDevice = endpoint<{ body: DeviceApproval; reply: null }>('POST', '/auth/device/approve', 'user');

// The own account
export const updateProfile = endpoint<{ body: ProfileUpdate; reply: UserReply }>('PUT', '/users/profile', 'user', {
  bodyKiB: 64,
});
export const deleteAccount = endpoint<{ body: AccountDeletion; reply: null }>('DELETE', '/users/profile', 'user');
export const readUploaderProfile = endpoint<{ reply: UploaderProfile }>('GET', '/api/users/profile', 'user');
export const acceptEula = endpoint<{ body: EulaAcceptance; reply: EulaAccepted }>('POST', '/api/users/eula/accept', 'user');
export const readAvatar = endpoint<{ params: IdParams; reply: Bytes }>('GET', '/users/{id}/avatar', 'anyone', {
  budget: 'none',
});
export const readBlocklist = endpoint<{ reply: Blocklist }>('GET', '/users/blocklist', 'user');
export const updateBlocklist = endpoint<{ body: BlocklistUpdate; reply: Blocklist }>('PUT', '/users/blocklist', 'user', { bodyKiB: 128 });

// Plans
export const listPlans = endpoint<{ reply: PlanList }>('GET', '/users/subscription/plans', 'anyone');
export const upgradePlan = endpoint<{ body: Upgrade; reply: Upgraded }>('POST', '/users/subscription/upgrade', 'user');

// Administration
export const listUsers = endpoint<{ query: UserListQuery; reply: UserList }>('GET', '/users/admin', 'admin');
export const readUser = endpoint<{ params: IdParams; reply: ManagedUser }>('GET', '/users/admin/{id}', 'admin');
export const updateUser = endpoint<{ params: IdParams; body: UserUpdate; reply: ManagedUser }>('PUT', '/users/admin/{id}', 'admin');
export const deleteUser = endpoint<{ params: IdParams; reply: null }>('DELETE', '/users/admin/{id}', 'admin');
export const updateSubscription = endpoint<{ params: IdParams; body: SubscriptionUpdate; reply: ManagedUser }>('PUT', '/users/admin/{id}/subscription', 'admin');
export const endUserSessions = endpoint<{ params: IdParams; reply: null }>('DELETE', '/users/admin/{id}/sessions', 'admin');
export const listInvitations = endpoint<{ reply: InvitationList }>('GET', '/users/admin/invitations', 'admin');
export const createInvitation = endpoint<{ body: InvitationCreation; reply: InvitationLink }>('POST', '/users/admin/invitations', 'admin', { isRepeatable: false });
export const revokeInvitation = endpoint<{ params: IdParams; reply: null }>('DELETE', '/users/admin/invitations/{id}', 'admin');
export const readLibrary = endpoint<{ reply: Library }>('GET', '/api/admin/library', 'admin', {
  deadlineSeconds: 30,
  budget: 'heavy',
});
export const listUnplayableVideos = endpoint<{ query: UnplayableListQuery; reply: UnplayableList }>('GET', '/api/admin/library/unplayable', 'admin');
export const readEncodingOverview = endpoint<{ reply: EncodingOverview }>('GET', '/api/admin/encodings', 'admin', {
  // The first one waits until all encoders of ffmpeg have been tried.
  deadlineSeconds: 120,
});
export const listHiddenVideos = endpoint<{ query: HiddenListQuery; reply: HiddenList }>('GET', '/api/admin/videos/hidden', 'admin');
export const hideVideo = endpoint<{ params: IdParams; reply: null }>('PUT', '/api/admin/videos/{id}/hidden', 'admin');
export const listDuplicates = endpoint<{ query: DuplicateListQuery; reply: DuplicateList }>('GET', '/api/admin/duplicates', 'admin');
export const keepDuplicates = endpoint<{ params: IdParams; reply: null }>('PUT', '/api/admin/videos/{id}/kept', 'admin');
export const relistDuplicates = endpoint<{ params: IdParams; reply: null }>('DELETE', '/api/admin/videos/{id}/kept', 'admin');
export const searchDuplicates = endpoint<{ reply: Done }>('POST', '/api/admin/duplicates/search', 'admin');
export const listReports = endpoint<{ query: ReportListQuery; reply: ReportList }>('GET', '/api/admin/reports', 'admin');
export const dismissReports = endpoint<{ params: IdParams; reply: null }>('DELETE', '/api/admin/videos/{id}/reports', 'admin');
export const showVideo = endpoint<{ params: IdParams; reply: null }>('DELETE', '/api/admin/videos/{id}/hidden', 'admin');
export const readAbout = endpoint<{ reply: About }>('GET', '/api/admin/about', 'admin', { deadlineSeconds: 30 });
export const listActivities = endpoint<{ query: ActivityListQuery; reply: ActivityList }>('GET', '/api/admin/activity', 'admin');
export const undoActivity = endpoint<{ params: IdParams; reply: null }>('POST', '/api/admin/activity/{id}/undo', 'admin', { deadlineSeconds: 60 });
export const readSettings = endpoint<{ reply: SiteSettings }>('GET', '/api/admin/settings', 'admin', { deadlineSeconds: 30 });
export const updateSettings = endpoint<{ body: SiteSettingsUpdate; reply: SiteSettings }>('PUT', '/api/admin/settings', 'admin', { bodyKiB: 256, deadlineSeconds: 60 });
export const listFolders = endpoint<{ query: FolderQuery; reply: FolderList }>('GET', '/api/admin/folders', 'admin', { deadlineSeconds: 30, budget: 'heavy' });
export const endFirstRun = endpoint<{ reply: null }>('DELETE', '/api/admin/first-run', 'admin');
export const listJobKinds = endpoint<{ reply: JobKindList }>('GET', '/api/admin/jobs/kinds', 'admin');
export const retryFailedJobs = endpoint<{ body: JobKindQuestion; reply: JobsChanged }>('POST', '/api/admin/jobs/retry', 'admin');
export const cancelWaitingJobs = endpoint<{ body: JobKindQuestion; reply: JobsChanged }>('POST', '/api/admin/jobs/cancel', 'admin');
export const listJobs = endpoint<{ query: JobListQuery; reply: JobList }>('GET', '/api/admin/jobs', 'admin');
export const cancelJob = endpoint<{ params: IdParams; reply: null }>('DELETE', '/api/admin/jobs/{id}', 'admin');
export const retryJob = endpoint<{ params: IdParams; reply: Done }>('POST', '/api/admin/jobs/{id}/retry', 'admin');

// Feed
export const streamVideo = endpoint<{ query: StreamQuery; reply: Bytes }>('GET', '/api/video/stream', 'anyone', {
  credential: 'bearer-or-cookie',
  budget: 'none',
  refused: 'never',
});
export const readDebug = endpoint<{ reply: Debug }>('GET', '/api/debug', 'admin', {
  deadlineSeconds: 30,
  budget: 'heavy',
});
export const rescanLibrary = endpoint<{ reply: Done }>('POST', '/api/refresh', 'admin');
export const clearCache = endpoint<{ reply: CacheCleared }>('POST', '/api/clear-cache', 'admin', {
  deadlineSeconds: 60,
  budget: 'heavy',
});
export const updateConfig = endpoint<{ body: ConfigUpdate; reply: ConfigUpdated }>('POST', '/api/config/update', 'admin');

// Optimization and performance
export const readBandwidth = endpoint<{ query: BandwidthQuery; reply: Bandwidth }>('GET', '/api/optimization/bandwidth', 'anyone');
export const chooseQuality = endpoint<{ body: QualityQuestion; reply: QualityAnswer }>('POST', '/api/optimization/quality', 'anyone', { isRepeatable: false, refused: 'never' });
export const resolveVideoUrl = endpoint<{ body: VideoUrlQuestion; reply: VideoUrl }>('POST', '/api/optimization/video-url', 'anyone', { isRepeatable: false, refused: 'never' });
export const readPerformance = endpoint<{ params: QuadrantParams; query: PerformanceQuery; reply: Performance }>('GET', '/api/optimization/performance/{quadrant}', 'admin');
export const listActiveViewers = endpoint<{ reply: ActiveViewers }>('GET', '/api/admin/performance/viewers', 'admin');
export const listPerformanceAlerts = endpoint<{ reply: PerformanceAlerts }>('GET', '/api/admin/performance/alerts', 'admin');
export const listTroubledVideos = endpoint<{ query: TroubledVideosQuery; reply: TroubledVideos }>('GET', '/api/admin/performance/videos', 'admin');
export const listVenues = endpoint<{ reply: Venues }>('GET', '/api/admin/performance/venues', 'admin');
export const forgetVenue = endpoint<{ params: IdParams; reply: null }>('DELETE', '/api/admin/performance/venues/{id}', 'admin');
export const recordPerformance = endpoint<{
  params: QuadrantParams;
  body: PerformanceReport;
  reply: PerformanceAccepted;
}>('POST', '/api/optimization/performance/{quadrant}', 'anyone', { needsDatabase: false, bodyKiB: 64, isRepeatable: false, refused: 'first' });

// Tags
export const listTags = endpoint<{ query: TagListQuery; reply: TagList }>('GET', '/api/tags', 'anyone');
export const createTag = endpoint<{ body: TagCreation; reply: TagReply }>('POST', '/api/tags', 'user');
export const readTag = endpoint<{ params: IdParams; reply: TagReply }>('GET', '/api/tags/{id}', 'anyone');
export const updateTag = endpoint<{ params: IdParams; body: TagUpdate; reply: TagReply }>('PUT', '/api/tags/{id}', 'user');
export const deleteTag = endpoint<{ params: IdParams; reply: null }>('DELETE', '/api/tags/{id}', 'user');
export const deleteTagPermanently = endpoint<{ params: IdParams; reply: null }>('DELETE', '/api/tags/{id}/hard-delete', 'admin');
export const updateTagAliases = endpoint<{ params: IdParams; body: TagAliasesUpdate; reply: TagReply }>('PUT', '/api/tags/{id}/aliases', 'admin');
export const mergeTag = endpoint<{ params: IdParams; body: TagMergeStart; reply: TagChangeReply }>('POST', '/api/tags/{id}/merge', 'admin');
export const exportTags = endpoint<{ query: TagExportQuery; reply: Text }>('GET', '/api/admin/tags/export', 'admin', {
  deadlineSeconds: 600,
  budget: 'heavy',
});
export const importTags = endpoint<{ body: TagImportStart; reply: TagImportReply }>('POST', '/api/admin/tags/import', 'admin', {
  bodyKiB: limits.importKiB,
  deadlineSeconds: 120,
  budget: 'heavy',
});
export const importSidecars = endpoint<{ reply: TagChangeReply }>('POST', '/api/admin/tags/sidecars', 'admin');
export const listTagChanges = endpoint<{ query: TagChangeListQuery; reply: TagChangeList }>('GET', '/api/admin/tags/changes', 'admin');
export const undoTagChange = endpoint<{ params: IdParams; reply: TagChangeReply }>('POST', '/api/admin/tags/changes/{id}/undo', 'admin');
export const undoPersonTagChanges = endpoint<{ body: TagPersonUndoStart; reply: TagChangeReply }>('POST', '/api/admin/tags/changes/undo', 'admin');
export const readFolderChannels = endpoint<{ reply: FolderChannels }>('GET', '/api/admin/library/folder-channels', 'admin');
export const updateFolderChannels = endpoint<{ body: FolderChannelsUpdate; reply: FolderChannels }>('PUT', '/api/admin/library/folder-channels', 'admin');

// Videos
export const listVideosByTags = endpoint<{ query: VideosByTagsQuery; reply: VideoList }>('GET', '/api/videos/by-tags', 'anyone', { budget: 'heavy', refused: 'list' });
export const listTaggingVideos = endpoint<{ query: TaggingQuery; reply: TaggingList }>('GET', '/api/videos/tagging', 'user', { refused: 'list' });
export const listAllTaggingVideos = endpoint<{ query: AllTaggingQuery; reply: AllTaggingList }>('GET', '/api/videos/tagging/all', 'user', {
  deadlineSeconds: 30,
  budget: 'heavy',
  refused: 'first',
});
export const readVideoTags = endpoint<{ params: PathParams; reply: VideoTags }>('GET', '/api/videos/{path}/tags', 'anyone');
export const assignTags = endpoint<{ params: PathParams; body: TagAssignment; reply: VideoTags }>('POST', '/api/videos/{path}/tags', 'user');
export const removeTag = endpoint<{ params: PathTagParams; reply: null }>('DELETE', '/api/videos/{path}/tags/{tagId}', 'user');
export const findHiddenVideos = endpoint<{ query: HiddenIdsQuery; reply: HiddenIds }>('GET', '/api/videos/hidden', 'anyone');
export const checkVideos = endpoint<{ body: VideoCheckQuestion; reply: CheckedVideos }>('POST', '/api/videos/check', 'anyone', { isRepeatable: false });
export const readVideo = endpoint<{ params: IdParams; reply: VideoReply }>('GET', '/api/videos/{id}', 'anyone');
export const reportVideo = endpoint<{ params: IdParams; body: ReportCreation; reply: null }>('POST', '/api/videos/{id}/reports', 'anyone');
export const readVideoDetails = endpoint<{ params: IdParams; reply: VideoDetailsReply }>('GET', '/api/videos/{id}/details', 'anyone');
export const updateVideoDetails = endpoint<{ params: IdParams; body: VideoDetailsUpdate; reply: VideoDetailsReply }>('PUT', '/api/videos/{id}/details', 'user', { bodyKiB: 32 });
export const listFavourites = endpoint<{ reply: FavouriteIds }>('GET', '/api/favourites', 'user');
export const addFavourite = endpoint<{ params: IdParams; reply: null }>('PUT', '/api/favourites/{id}', 'user');
export const removeFavourite = endpoint<{ params: IdParams; reply: null }>('DELETE', '/api/favourites/{id}', 'user');
export const recordWatched = endpoint<{ body: WatchedReport; reply: null }>('POST', '/api/watched', 'anyone', { isRepeatable: false });
export const listWatched = endpoint<{ query: WatchedListQuery; reply: WatchedList }>('GET', '/api/watched', 'anyone', { budget: 'heavy' });
export const forgetWatched = endpoint<{ reply: null }>('DELETE', '/api/watched', 'anyone');
export const readPoster = endpoint<{ params: IdParams; query: VersionQuery; reply: Bytes }>('GET', '/api/videos/{id}/poster', 'anyone', {
  credential: 'bearer-or-cookie',
  budget: 'none',
});
export const readStoryboard = endpoint<{ params: IdParams; query: VersionQuery; reply: Bytes }>('GET', '/api/videos/{id}/storyboard', 'anyone', {
  credential: 'bearer-or-cookie',
  budget: 'none',
});
export const listSubtitles = endpoint<{ params: IdParams; reply: SubtitleList }>('GET', '/api/videos/{id}/subtitles', 'anyone');
export const readSubtitles = endpoint<{ params: SubtitleParams; query: VersionQuery; reply: Text }>('GET', '/api/videos/{id}/subtitles/{track}', 'anyone', {
  credential: 'bearer-or-cookie',
  budget: 'heavy',
});

// Uploads. The URLs that receive the bytes are not in this list: they speak PUT and tus, and are
// authorized by the session's key alone
export const startUpload = endpoint<{ body: UploadStart; reply: UploadSession }>('POST', '/api/upload/initiate', 'user', { bodyKiB: 256, deadlineSeconds: 60, budget: 'heavy' });
export const readUploadProgress = endpoint<{ params: UploadParams; reply: UploadProgress }>('GET', '/api/upload/progress/{sessionId}', 'user', { refused: 'never' });
export const completeUpload = endpoint<{ params: UploadParams; body: UploadCompletion; reply: UploadCompleted }>('POST', '/api/upload/complete/{sessionId}', 'user-or-key', {
  deadlineSeconds: 60,
  refused: 'never',
});
export const cancelUpload = endpoint<{ params: UploadParams; reply: null }>('DELETE', '/api/upload/cancel/{sessionId}', 'user-or-key');
export const renewUploadKey = endpoint<{ params: UploadParams; reply: UploadKey }>('POST', '/api/upload/key/{sessionId}', 'user', { refused: 'never' });
export const listUploadHistory = endpoint<{ query: UploadHistoryQuery; reply: UploadHistory }>('GET', '/api/upload/history', 'user');
export const deleteUploadedFile = endpoint<{ params: IdParams; reply: null }>('DELETE', '/api/upload/file/{id}', 'user');
export const readUploadStats = endpoint<{ query: UploadStatsQuery; reply: UploadStats }>('GET', '/api/upload/stats', 'user');
export const listRemovedUploads = endpoint<{ query: RemovedUploadListQuery; reply: RemovedUploadList }>('GET', '/api/admin/uploads/removed', 'admin');
export const restoreUpload = endpoint<{ params: IdParams; reply: null }>('POST', '/api/admin/uploads/removed/{id}/restore', 'admin');
export const purgeUpload = endpoint<{ params: IdParams; reply: null }>('DELETE', '/api/admin/uploads/removed/{id}', 'admin');
