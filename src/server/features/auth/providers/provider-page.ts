import type { FastifyReply } from 'fastify';
import type { ProviderMessage } from '#contract/entities/people/identity.ts';

/** The app listens here where the provider's own policy has cut the window off from the page that opened it. */
const channel = 'fourfold.sign-in';
/** The app reads this at its start, once, after a sign-in without a popup. */
const storageKey = 'fourfold.sign-in';

/** Plain enough for the browsers of 2019. */
const script = `
var message = JSON.parse(document.getElementById('message').textContent);
if (document.body.dataset.display === 'page') {
  try { sessionStorage.setItem('${storageKey}', JSON.stringify(message)); } catch (error) {}
  location.replace('/');
} else {
  if (window.opener) window.opener.postMessage(message, location.origin);
  else if (window.BroadcastChannel) new BroadcastChannel('${channel}').postMessage(message);
  window.close();
}
`;

/**
 * The page at the end of a visit: hands the message to the page that opened it, at the site's own origin only, and
 * closes.
 */
export function sendProviderPage(
  reply: FastifyReply,
  message: ProviderMessage,
  { display, nonce }: { display: 'popup' | 'page'; nonce: string },
): void {
  reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      // The address of this page holds the provider's code.
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    .send(html(message, display, nonce));
}

function html(message: ProviderMessage, display: 'popup' | 'page', nonce: string): string {
  const json = JSON.stringify(message)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  const text =
    message.type === 'OAUTH_SUCCESS'
      ? 'You are signed in. You can close this window.'
      : 'The sign-in did not work. You can close this window.';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Fourfold</title></head>
<body data-display="${display}"><p>${text}</p>
<script type="application/json" id="message">${json}</script>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`;
}
