import type { z } from 'zod';

const kinds: Record<string, string> = {
  string: 'This must be text',
  number: 'This must be a number',
  int: 'This must be a whole number',
  boolean: 'This must be true or false',
  array: 'This must be a list',
  object: 'This must be an object',
};

/**
 * What a refusal says where no rule has a sentence of its own: `schema.parse(body, { error: plainWords })`.
 * A person may read it, so it holds none of the schema's vocabulary and echoes no input.
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
