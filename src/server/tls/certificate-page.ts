import { createHash } from 'node:crypto';
import type { DeviceSteps } from './certificate-steps.ts';
import { deviceSteps } from './certificate-steps.ts';
import { qrSvg } from './qr-code.ts';

export interface CertificatePage {
  /** SHA-256 of the authority, `AB:CD:…` */
  fingerprint: string;
  validUntil: Date;
  /** The https addresses that lead here, best first. */
  addresses: readonly string[];
  /** This page, as a phone reaches it; null when none can. */
  stepsAddress: string | null;
  /** Names and addresses of this host that the authority may not vouch for. */
  beyond: readonly string[];
}

/** Nothing in it is younger than the browsers of old TVs: no custom properties, no flex boxes, no script. */
const style = `
html { background: #0c0e10; color: #f4f1ea; font: 100%/1.5 "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
body { margin: 0 auto; max-width: 44em; padding: 1.5em 1.25em 4em; }
h1 { font-size: 1.75em; line-height: 1.2; margin: 0 0 .5em; }
h2 { border-top: 1px solid #2a2f35; font-size: 1.25em; line-height: 1.3; margin: 2em 0 .5em; padding-top: 1em; }
a { color: #9cc9f7; }
a:focus { outline: 3px solid #f4f1ea; outline-offset: 2px; }
code { color: #f4f1ea; font-family: Consolas, Menlo, monospace; word-break: break-all; word-wrap: break-word; }
li { margin: .5em 0; }
svg { background: #fff; display: block; height: 12.5em; margin: 1em 0; width: 12.5em; }
.note { color: #bec3ca; }
.get { background: #f4f1ea; border-radius: .5em; color: #101214; display: inline-block; font-weight: bold; padding: .75em 1.25em; text-decoration: none; }
.warn { background: #2a2213; border-left: 4px solid #f2b84b; padding: .75em 1em; }
`;

/** Only this style sheet, and nothing else at all. */
export const certificatePagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function renderCertificatePage({
  fingerprint,
  validUntil,
  addresses,
  stepsAddress,
  beyond,
}: CertificatePage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fourfold: a secure address at home</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>A secure address at home</h1>
<p>Browsers install the app, and start it without a network, only from a secure address. This Fourfold has made a certificate authority of its own for that. Once a device has installed it, these addresses open without a warning:</p>
<ul>
${addresses.map((address) => `<li><a href="${escapeText(address)}">${escapeText(address)}</a></li>`).join('\n')}
</ul>
${beyond.length === 0 ? '' : sayBeyond(beyond)}
<p><a class="get" href="/fourfold-authority.crt">Get the certificate</a></p>
<p class="note">Install it only if its SHA-256 fingerprint is the one that the server shows in its terminal:<br><code>${escapeText(fingerprint)}</code></p>
<p class="note">It can vouch for this server’s names and for addresses of its own network, and for no other site. It is good until ${validUntil.toISOString().slice(0, 10)}, and can be removed at any time where it was installed.</p>
${stepsAddress === null ? '' : linkForPhones(stepsAddress)}
<ul>
${deviceSteps.map(({ id, device }) => `<li><a href="#${id}">${device}</a></li>`).join('\n')}
</ul>
${deviceSteps.map(renderSteps).join('\n')}
</main>
</body>
</html>
`;
}

function renderSteps({ id, device, steps, note }: DeviceSteps): string {
  const items = steps.map((step) => `<li>${step}</li>`).join('\n');
  return `<h2 id="${id}">${device}</h2>\n<ol>\n${items}\n</ol>${note === undefined ? '' : `\n<p class="note">${note}</p>`}`;
}

function linkForPhones(address: string): string {
  return `<p>This page on a phone: <a href="${escapeText(address)}">${escapeText(address)}</a></p>
${qrSvg(address, 'QR code of this page’s address')}`;
}

function sayBeyond(names: readonly string[]): string {
  return `<p class="warn">The authority was made in another network and may not vouch for ${names.map((name) => `<code>${escapeText(name)}</code>`).join(', ')}. Use one of the addresses above.</p>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
