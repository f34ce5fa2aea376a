import { call } from '#app/platform/http/call.ts';
import { readConfig } from '#contract/endpoints.ts';

/** Null until it is known, and where the site names none. */
let bound: number | null = null;

/** Bytes of the largest body that gets through to the server. */
export function readBodyBound(): number | null {
  return bound;
}

/** The site's configuration is asked for again: the start keeps nothing of uploads. Without it parts have our own bounds. */
export async function loadBodyBound(): Promise<void> {
  const config = await call(readConfig, { quiet: true }).catch(() => null);
  const megabytes = config?.upload.chunk_mb ?? null;
  bound = megabytes === null ? null : megabytes * 1024 ** 2;
}
