import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { renditionNameSchema, videoPathSchema } from './video.ts';

const quadrantSchema = z.enum(quadrants, { error: `The quadrant is one of ${quadrants.join(', ')}` });
const pixelsSchema = z
  .number()
  .positive('A size in pixels is needed')
  .max(limits.elementWidthMaxPx, 'This is larger than any screen');

/** What a device knows of one of its quadrants. */
export const qualityQuestionSchema = z.object({
  quadrant: quadrantSchema,
  width: pixelsSchema,
  height: pixelsSchema,
  device_pixel_ratio: z.number().positive().max(limits.devicePixelRatioMax).default(1),
  bandwidth_mbps: z.number().nonnegative().optional(),
  save_data: z.boolean().default(false),
  dropped_frames_percent: z.number().min(0).max(100).optional(),
});
export type QualityQuestion = z.input<typeof qualityQuestionSchema>;

/** Null is no limit. `reason` is for a person. */
export const qualityAnswerSchema = z.strictObject({
  quality: renditionNameSchema,
  max_height: z.int().positive().nullable(),
  max_bitrate_bps: z.int().positive().nullable(),
  reason: z.string(),
});
export type QualityAnswer = z.infer<typeof qualityAnswerSchema>;

/** Addresses, and paths that lead out of the library. */
const isOutside = (path: string) => path.split('/').some((part) => part === '' || part === '.' || part === '..');

export const videoUrlQuestionSchema = z.object({
  path: videoPathSchema.refine((path) => !isOutside(path), 'A path within the library is needed'),
  quadrant: quadrantSchema,
  quality: renditionNameSchema.optional(),
});
export type VideoUrlQuestion = z.input<typeof videoUrlQuestionSchema>;

/** The address is signed and dated. */
export const videoUrlSchema = z.strictObject({
  url: z.string(),
  rendition: renditionNameSchema,
  width: z.int().nonnegative().nullable(),
  height: z.int().nonnegative().nullable(),
  bitrate_bps: z.int().nonnegative().nullable(),
});
export type VideoUrl = z.infer<typeof videoUrlSchema>;
