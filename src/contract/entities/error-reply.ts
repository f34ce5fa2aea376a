import { z } from 'zod';

/** One refused field and why, in words for a person. */
export const fieldProblemSchema = z.strictObject({ field: z.string(), message: z.string() });
export type FieldProblem = z.infer<typeof fieldProblemSchema>;

/** The address where visitors of a closed site can ask for the password. */
export const requestAccessSchema = z.strictObject({ platform: z.string(), url: z.string().nullable() });
export type RequestAccess = z.infer<typeof requestAccessSchema>;

/** The details of a 401 `site_password_required`, for the password page. */
export const gateDetailsSchema = z.strictObject({ request_access: requestAccessSchema.nullable() });
export type GateDetails = z.infer<typeof gateDetailsSchema>;

/** The machine codes of error bodies and the status each one travels with. */
export const errorStatuses = {
  bad_request: 400,
  validation_failed: 400,
  downgrade_not_available: 400,
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
  unauthorized: 401,
  token_expired: 401,
  token_reused: 401,
  invalid_credentials: 401,
  site_password_required: 401,
  forbidden: 403,
  eula_required: 403,
  registration_closed: 403,
  invitation_invalid: 403,
  quota_exceeded: 403,
  not_found: 404,
  no_videos_available: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  bad_host: 421,
  locked: 423,
  rate_limited: 429,
  checksum_mismatch: 460,
  internal: 500,
  unavailable: 503,
  overloaded: 503,
  out_of_space: 507,
} as const;

/** The body of every refusal. `message` is what the screen shows. */
export const errorReplySchema = z.strictObject({
  error: z.enum(Object.keys(errorStatuses) as [ErrorCode, ...ErrorCode[]]),
  message: z.string().min(1),
  details: z.union([z.array(fieldProblemSchema), gateDetailsSchema]).optional(),
  /** Sent with `internal` only. */
  request_id: z.string().optional(),
});
export type ErrorReply = z.infer<typeof errorReplySchema>;

const kinds: Record<string, string> = {
  string: 'This must be text',
  number: 'This must be a number',
  int: 'This must be a whole number',
  boolean: 'This must be true or false',
  array: 'This must be a list',
  object: 'This must be an object',
};

/**
 * The sentence of a refusal when no rule has one of its own: `schema.parse(body, { error:
 * plainWords })`. People may read it, so it uses no word of the schema's vocabulary and echoes no
 * input.
 */
export const plainWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'This is required' : (kinds[issue.expected] ?? unreadable);
  if (issue.code === 'invalid_value') return `This must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_format' && issue.format === 'datetime')
    return 'This must be a time like 2026-01-31T12:00:00Z';
  if (issue.code === 'too_small') return `This must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
  if (issue.code === 'too_big' && (issue.origin === 'string' || issue.origin === 'array')) return tooLong;
  if (issue.code === 'too_big') return `This must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
  return unreadable;
};

const unreadable = 'This cannot be read';
export const tooLong = 'This is too long';

export type ErrorCode = keyof typeof errorStatuses;
