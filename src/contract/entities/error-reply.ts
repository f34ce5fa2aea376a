import { z } from 'zod';
import type { ErrorCode } from '#contract/error-codes.ts';
import { errorStatuses } from '#contract/error-codes.ts';

/** One refused field and why, in words for a person. */
export const fieldProblemSchema = z.strictObject({ field: z.string(), message: z.string() });
export type FieldProblem = z.infer<typeof fieldProblemSchema>;

/** Where visitors of a closed site ask for the password. */
export const requestAccessSchema = z.strictObject({ platform: z.string(), url: z.string().nullable() });
export type RequestAccess = z.infer<typeof requestAccessSchema>;

/** What a 401 `site_password_required` carries for the password page. */
export const gateDetailsSchema = z.strictObject({ request_access: requestAccessSchema.nullable() });
export type GateDetails = z.infer<typeof gateDetailsSchema>;

/** The body of every refusal. `message` is what the screen shows. */
export const errorReplySchema = z.strictObject({
  error: z.enum(Object.keys(errorStatuses) as [ErrorCode, ...ErrorCode[]]),
  message: z.string().min(1),
  details: z.union([z.array(fieldProblemSchema), gateDetailsSchema]).optional(),
  /** With `internal` only. */
  request_id: z.string().optional(),
});
export type ErrorReply = z.infer<typeof errorReplySchema>;
