import { z } from 'zod';
import { checkPassword } from '#contract/rules/credentials.ts';
import { checkedText } from '../fields.ts';

export const sitePasswordSchema = z.object({ password: checkedText(checkPassword, { keepsBlanks: true }) });
export type SitePassword = z.input<typeof sitePasswordSchema>;

export const siteEntrySchema = z.strictObject({ success: z.literal(true) });
export type SiteEntry = z.infer<typeof siteEntrySchema>;

/** The 401 of a wrong site password: `error` is the sentence here, as the password page shows it. */
export const siteRefusalSchema = z.strictObject({ success: z.literal(false), error: z.string(), message: z.string() });
export type SiteRefusal = z.infer<typeof siteRefusalSchema>;
