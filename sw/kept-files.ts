/** What a server may call the kinds of files that the app consists of. */
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
 * Whether an answer says that it is what its address promises: a portal, or a proxy in trouble, answers a script's
 * address with a page and 200.
 */
export function isOfItsType(address: string, { status, headers }: Response): boolean {
  const [, ending = ''] = /\.(\w+)$/.exec(new URL(address).pathname) ?? [];
  return status === 200 && (typesByEnding[ending]?.test(headers.get('content-type') ?? '') ?? false);
}

/**
 * For the precache: null makes the install fail, and the version that runs stays. The bytes are compared with their
 * digest before.
 */
export const acceptOnlyOwnFiles = {
  cacheWillUpdate: async ({ request, response }: { request: Request; response: Response }) =>
    isOfItsType(request.url, response) ? response : null,
};
