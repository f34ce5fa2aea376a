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
