import { z } from 'zod';

/*
 * The `{names}` of the paths, decoded. Nothing is refused here: what does not exist answers 404, whatever it looks
 * like.
 */

export const idParamsSchema = z.object({ id: z.string() });
export type IdParams = z.input<typeof idParamsSchema>;

export const quadrantParamsSchema = z.object({ quadrant: z.string() });
export type QuadrantParams = z.input<typeof quadrantParamsSchema>;

export const providerParamsSchema = z.object({ provider: z.string() });
export type ProviderParams = z.input<typeof providerParamsSchema>;

export const uploadParamsSchema = z.object({ sessionId: z.string() });
export type UploadParams = z.input<typeof uploadParamsSchema>;

export const pathParamsSchema = z.object({ path: z.string() });
export type PathParams = z.input<typeof pathParamsSchema>;

export const pathTagParamsSchema = z.object({ path: z.string(), tagId: z.string() });
export type PathTagParams = z.input<typeof pathTagParamsSchema>;

export const subtitleParamsSchema = z.object({ id: z.string(), track: z.string() });
export type SubtitleParams = z.input<typeof subtitleParamsSchema>;
