import { createHash } from 'node:crypto';
import type { Avatar } from '../../users/avatar-repository.ts';

const patienceMs = 3_000;
const maxBytes = 4 * 1024 * 1024;
const sidePx = 256;
const maxPixels = 40_000_000;
const formats: ReadonlySet<string> = new Set(['jpeg', 'png', 'webp', 'gif']);

/**
 * A provider's avatar, made small and written anew: no byte of the original is served. Null for whatever cannot be had
 * or is no image.
 */
export async function fetchAvatar(address: URL): Promise<Avatar | null> {
  try {
    const answer = await fetch(address, {
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMs),
      headers: { accept: 'image/*' },
    });
    if (!answer.ok || answer.body === null) return null;
    // Only here: it brings megabytes along that a server without such avatars never needs.
    const { default: sharp } = await import('sharp');
    const image = sharp(await readAtMost(answer.body, maxBytes), { limitInputPixels: maxPixels });
    // No drawings (SVG): they can hold far more than an image.
    if (!formats.has((await image.metadata()).format ?? '')) return null;
    const webp = await image.rotate().resize(sidePx, sidePx, { fit: 'cover' }).webp().toBuffer();
    return { webp, content: createHash('sha256').update(webp).digest('hex').slice(0, 40) };
  } catch {
    // Nobody signs in for the sake of an avatar.
    return null;
  }
}

async function readAtMost(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) throw new Error('This is too large for a picture.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
