import { HttpError } from '#app/platform/http/http-error.ts';
import type { FieldProblem } from '#contract/entities/error-reply.ts';
import { connection, messageOf } from '#contract/failures.ts';

/** What the server said of single fields, by its own names for them. */
export function refusedFields(error: unknown): Record<string, string> {
  const details = error instanceof HttpError && Array.isArray(error.details) ? (error.details as FieldProblem[]) : [];
  return Object.fromEntries(details.map(({ field, message }) => [field, message]));
}

/** What the box in the form says of a failed try. */
export function refusalWords(error: unknown): string {
  return error instanceof HttpError ? messageOf(error) : connection;
}
