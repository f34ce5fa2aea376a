/** Words, and names that people have chosen: those may be written in the other direction. */
export type Part = string | { name: string };

/** Draws a sentence that is put together from words and names. */
export function Sentence({ parts }: { parts: readonly Part[] }) {
  return parts.map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never change places
    typeof part === 'string' ? part : <bdi key={at}>{part.name}</bdi>,
  );
}
