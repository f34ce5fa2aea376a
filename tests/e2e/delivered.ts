import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { UploadSession } from '#contract/entities/upload.ts';
import type { Site } from '#tests/support/product.ts';
import { startDeliveringNginx } from '#tests/support/storage/delivering-nginx.ts';
import type { SwiftStore } from '#tests/support/storage/swift-store.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { acceptAgreement, registerAt, send } from './accounts.ts';

const key = 'a key of nginx';

/** What a site is configured with whose uploads come from elsewhere, and the origin that sends them. */
interface Delivery {
  readonly env: Readonly<Record<string, string>>;
  readonly origin: string;
}

export type Deliver = (place: Place) => Promise<Delivery>;

interface Place {
  readonly swift: SwiftStore;
  /** The address of the site. */
  readonly site: string;
  readonly atEnd: AtEnd;
}

/** What sends the bytes of videos in place of the server, by name. Each has a bucket of its own. */
export const deliveries: Readonly<Record<string, Deliver>> = {
  async 'the store itself'({ swift }) {
    await swift.makeBucket('films');
    const env = { STORAGE_URL: swift.url('films'), STORAGE_SECRET: swift.secret, DELIVERY: 'store' };
    return { env: { ...env, ...room }, origin: `http://${swift.host}` };
  },
  async 'an nginx in front of the store'({ swift, site, atEnd }) {
    const from = await swift.makeOpenBucket('open-films');
    const origin = await startDeliveringNginx({ from, key, site }, atEnd);
    const store = { STORAGE_URL: swift.url('open-films/ours'), STORAGE_SECRET: swift.secret };
    const env = { ...store, DELIVERY: origin, DELIVERY_SIGNING: 'nginx', DELIVERY_KEY: key };
    return { env: { ...env, ...room }, origin };
  },
};

/** A store has no size of which encodings could take a share, so a site has to name their room. */
const room = { DERIVED_GB: '0' };

/** Uploads fixtures by their names, as the first account. */
export async function uploadVideos(
  site: Site,
  names: readonly string[],
  container: 'mp4' | 'webm' = 'mp4',
): Promise<void> {
  const account = await registerAt(site, 'first');
  await acceptAgreement(site, account);
  const { access_token: token } = account;
  const uploadOne = async (name: string) => {
    const filename = `${name}.${container}`;
    const bytes = await readFile(fileURLToPath(new URL(`../fixtures/videos/${filename}`, import.meta.url)));
    const files = [{ filename, file_size: bytes.length }];
    const session = await send<UploadSession>(site, 'POST', '/api/upload/initiate', token, { files });
    const { session_id, bunny_access_key: accesskey, files: begun } = session;
    const { status } = await fetch(new URL(begun[0]?.address ?? '', site.address), {
      method: 'PUT',
      headers: { accesskey, 'content-type': `video/${container}` },
      body: bytes,
    });
    if (status !== 201) throw new Error(`The upload of ${filename} was answered by ${status}.`);
    await send(site, 'POST', `/api/upload/complete/${session_id}`, token, { session_id, files: [] });
  };
  await Promise.all(names.map(uploadOne));
}

/** Runs in a page, best before its scripts: what it does against its own policy is written down. */
export function watchViolations(): void {
  window.violations = [];
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    window.violations.push(`${violatedDirective}: ${blockedURI}`),
  );
}

/**
 * Runs in a page: what it did against its policy, and what it says of videos that failed. Chromium 68 counts the styles
 * of its own controls as the page's, once for each video that comes into the page.
 */
export function readFaults(): string[] {
  const violations = window.violations.filter((violation) => violation !== 'style-src: inline');
  return violations.concat((document.body.textContent || '').match(/Video error/g) || []);
}

declare global {
  interface Window {
    /** What the page did against its own policy. */
    violations: string[];
  }
}
