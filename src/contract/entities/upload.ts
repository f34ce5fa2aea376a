import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { checkAssignedTags } from '#contract/rules/tag.ts';
import { checkExtension, checkFileBytes, checkFileCount, checkFilename } from '#contract/rules/upload-file.ts';
import {
  addRefusal,
  boundedArray,
  checkedText,
  idArraySchema,
  idSchema,
  pageFacts,
  pageLimitSchema,
  pageSchema,
} from './fields.ts';
import { videoSchema } from './video.ts';

const fileStatuses = ['pending', 'uploading', 'completed', 'failed'] as const;
const fileStatusSchema = z.enum(fileStatuses);

const filenameSchema = checkedText((name) => checkFilename(name) ?? checkExtension(name), { keepsBlanks: true });
const fileBytesSchema = z
  .int('The file size is a whole number of bytes')
  .superRefine((bytes, context) => addRefusal(context, checkFileBytes(bytes)));

/** A file as the app describes it before sending it. */
export const fileDescriptorSchema = z.object({
  filename: filenameSchema,
  file_size: fileBytesSchema,
  mime_type: z
    .string()
    .max(limits.mimeTypeCharacters, 'This is not a media type')
    .trim()
    .default(limits.uploadMimeType),
});

const checkFiles = (files: readonly unknown[]) => checkFileCount(files.length);

const noTagsOrSome = (ids: readonly string[]) => (ids.length === 0 ? null : checkAssignedTags(ids));

export const uploadStartSchema = z.object({
  files: boundedArray(fileDescriptorSchema, checkFiles),
  tag_ids: idArraySchema(noTagsOrSome).optional(),
});
export type UploadStart = z.input<typeof uploadStartSchema>;

/** The destination of one file; `address` is relative when it is on this server. */
export const uploadDestinationSchema = z.strictObject({
  id: z.string(),
  filename: z.string(),
  address: z.string(),
  protocol: z.enum(['tus', 'put']),
});

/**
 * Two files of the same name share a key in `upload_urls`; `files` has both, in the order of the
 * request.
 */
export const uploadSessionSchema = z.strictObject({
  session_id: z.string(),
  upload_urls: z.record(z.string(), z.string()),
  /**
   * The key is valid for this session's upload URLs, for completing and for cancelling the session,
   * and for nothing else.
   */
  bunny_access_key: z.string(),
  files: z.array(uploadDestinationSchema),
});
export type UploadSession = z.infer<typeof uploadSessionSchema>;

/** A new key of an open session; it invalidates the previous one. */
export const uploadKeySchema = uploadSessionSchema.pick({ bunny_access_key: true });
export type UploadKey = z.infer<typeof uploadKeySchema>;

/** `percentage` is 0 to 100, `speed` bytes a second, `eta` seconds. */
export const fileProgressSchema = z.strictObject({
  id: z.string(),
  filename: z.string(),
  status: fileStatusSchema,
  percentage: z.number().min(0).max(100),
  uploadedBytes: z.int().nonnegative(),
  totalBytes: z.int().nonnegative(),
  speed: z.number().nonnegative(),
  eta: z.number().nonnegative().nullable(),
  error: z.string().nullable(),
});
export type FileProgress = z.infer<typeof fileProgressSchema>;

export const uploadProgressSchema = z.strictObject({
  session_id: z.string(),
  status: z.enum(['open', 'completed', 'expired']),
  files: z.array(fileProgressSchema),
});
export type UploadProgress = z.infer<typeof uploadProgressSchema>;

/**
 * `session_id` repeats the one of the path; `files` is always empty. `failed_ids` are files that
 * the sender has given up: they count as failed until more of their bytes arrive.
 */
export const uploadCompletionSchema = z.object({
  session_id: idSchema,
  files: boundedArray(z.unknown(), (files) => (files.length === 0 ? null : checkFiles(files))).default([]),
  tag_ids: idArraySchema(noTagsOrSome).optional(),
  failed_ids: idArraySchema((ids) => (ids.length === 0 ? null : checkFiles(ids))).optional(),
});
export type UploadCompletion = z.input<typeof uploadCompletionSchema>;

/**
 * The result for one file. `message` says why there is no video, or why the video cannot be played.
 */
export const completedFileSchema = z.strictObject({
  id: z.string(),
  filename: z.string(),
  status: fileStatusSchema,
  video_id: z.string().nullable(),
  message: z.string().nullable(),
});
export type CompletedFile = z.infer<typeof completedFileSchema>;

/** Files listed as failed can still be completed. `files` has all of them, in their order. */
export const uploadCompletedSchema = z.strictObject({
  success: z.boolean(),
  videos: z.array(videoSchema),
  files: z.array(completedFileSchema),
  failed: z.array(z.strictObject({ filename: z.string(), message: z.string() })),
});
export type UploadCompleted = z.infer<typeof uploadCompletedSchema>;

export const uploadHistoryQuerySchema = z.object({
  status: fileStatusSchema.optional(),
  page: pageSchema,
  limit: pageLimitSchema(limits.uploadsPerPage),
});
export type UploadHistoryQuery = z.input<typeof uploadHistoryQuerySchema>;

export const pastUploadSchema = z.strictObject({
  id: z.string(),
  session_id: z.string(),
  filename: z.string(),
  size: z.int().nonnegative(),
  status: fileStatusSchema,
  error: z.string().nullable(),
  video_id: z.string().nullable(),
  created_at: z.iso.datetime(),
  completed_at: z.iso.datetime().nullable(),
});
export type PastUpload = z.infer<typeof pastUploadSchema>;

export const uploadHistorySchema = z.strictObject({ uploads: z.array(pastUploadSchema), ...pageFacts });
export type UploadHistory = z.infer<typeof uploadHistorySchema>;

/** `scope=site` is for admins. */
export const uploadStatsQuerySchema = z.object({ scope: z.literal('site').optional() });
export type UploadStatsQuery = z.input<typeof uploadStatsQuerySchema>;

const countSchema = z.int().nonnegative();

export const uploadStatsSchema = z.strictObject({
  files: countSchema,
  bytes: countSchema,
  completed: countSchema,
  failed: countSchema,
  in_progress: countSchema,
});
export type UploadStats = z.infer<typeof uploadStatsSchema>;

export const removedUploadListQuerySchema = z.object({
  page: pageSchema,
  limit: pageLimitSchema(limits.uploadsPerPage),
});
export type RemovedUploadListQuery = z.input<typeof removedUploadListQuerySchema>;

/** A removed video whose bytes are still stored. The names are null when the account is deleted. */
export const removedUploadSchema = z.strictObject({
  id: z.string(),
  filename: z.string(),
  size: z.int().nonnegative(),
  uploaded_by: z.string().nullable(),
  removed_by: z.string().nullable(),
  removed_at: z.iso.datetime(),
  /** The time at which its bytes are deleted too. */
  kept_until: z.iso.datetime(),
});
export type RemovedUpload = z.infer<typeof removedUploadSchema>;

export const removedUploadListSchema = z.strictObject({ uploads: z.array(removedUploadSchema), ...pageFacts });
export type RemovedUploadList = z.infer<typeof removedUploadListSchema>;
