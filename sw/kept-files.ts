import { readHealth } from '#contract/start.ts';

/** The content types that servers use for the app's files. */
const typesByEnding: Readonly<Record<string, RegExp>> = {
  js: /^(text|application)\/(x-)?javascript\b/,
  css: /^text\/css\b/,
  html: /^text\/html\b/,
  svg: /^image\/svg\+xml\b/,
  png: /^image\/png\b/,
  woff2: /^(font|application)\/(font-)?woff2\b/,
  webmanifest: /^application\/(manifest\+)?json\b/,
};

/**
 * Whether an answer has the content type that its URL promises: a captive portal or a failing proxy
 * answers a script's URL with a page and 200.
 */
export function isOfItsType(address: string, { status, headers }: Response): boolean {
  const [, ending = ''] = /\.(\w+)$/.exec(new URL(address).pathname) ?? [];
  return status === 200 && (typesByEnding[ending]?.test(headers.get('content-type') ?? '') ?? false);
}

/**
 * A plugin of the precache: null makes the install fail, and the active version stays. The bytes
 * are compared with their digest before.
 */
export const acceptOnlyOwnFiles = {
  cacheWillUpdate: async ({ request, response }: { request: Request; response: Response }) =>
    isOfItsType(request.url, response) ? response : null,
};

const policyHeader = 'content-security-policy';
/** The directives that an operator's settings change: the hosts that deliver videos, and are told of views. */
const settable = /^(media|connect)-src /;

/**
 * Lets a stored page reach the hosts that any answer of the server names by now. The scripts that it
 * may run stay those of its own version.
 * @param page the headers of the page
 * @returns whether they were changed
 */
export function applyPolicy(page: Headers, { headers }: Response): boolean {
  const own = page.get(policyHeader) ?? '';
  const told = headers.get(policyHeader)?.split(';') ?? [];
  const renewed = own.split(';').map((directive) => {
    const [name] = settable.exec(directive) ?? [];
    return told.find((one) => name !== undefined && one.startsWith(name)) ?? directive;
  });
  if (renewed.join(';') === own) return false;
  page.set(policyHeader, renewed.join(';'));
  return true;
}

/** Asks for the headers that all answers of the server have, without the work for a page. */
export function askForPolicy(): Promise<Response> {
  return fetch(readHealth.path, { method: 'HEAD' });
}

/**
 * Stores the page with the policy that the server sends by now. A page that was opened with another
 * one is right when it is opened again.
 * @param key of the page among the stored files
 * @param shown its headers as they are stored
 */
export async function renewPolicy(key: string, shown: Headers, asked: Promise<Response>): Promise<void> {
  const answer = await asked;
  if (!applyPolicy(new Headers(shown), answer)) return;
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    const page = await cache.match(key);
    const headers = new Headers(page?.headers);
    if (page && applyPolicy(headers, answer)) await cache.put(key, new Response(await page.blob(), { headers }));
  }
}
