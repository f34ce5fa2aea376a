/** Asks once, and once more after a failure. */
export function rememberResult<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let known: Promise<Result> | null = null;
  return () => {
    known ??= ask().catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  };
}
