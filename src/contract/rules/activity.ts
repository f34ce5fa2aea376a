/** What the activity log records. */
export const activities = [
  'account_created',
  'account_changed',
  'account_deleted',
  'password_set',
  'tier_changed',
  'sessions_ended',
  'invitation_created',
  'invitation_used',
  'invitation_revoked',
  'video_hidden',
  'video_shown',
  'upload_removed',
  'upload_restored',
  'upload_purged',
  'tag_removed',
  'tag_merged',
  'tags_imported',
  'tag_change_undone',
  'settings_changed',
  'cache_cleared',
] as const;
export type ActivityKind = (typeof activities)[number];
