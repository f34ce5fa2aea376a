import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { renderSVG, renderUnicodeCompact } from 'uqr';
import { bestForPhones, formatAddress, listensEverywhere, loopbackNames } from '../http/local-names.ts';
import type { LocalCertificate } from './local-certificate.ts';
import type { SecureOrigin } from './secure-origin.ts';

export interface CertificateSite {
  /** Address for phones, or null if no phone can reach this host. */
  address: string | null;
  port: number;
  close(): Promise<void>;
}

interface CertificateSiteDeps {
  origin: SecureOrigin;
  local: LocalCertificate;
  host: string;
  /** 0: the system chooses one. */
  port: number;
  /** Port of the https origin. */
  securePort: number;
}

const limits = { headersTimeout: 10_000, requestTimeout: 10_000, keepAliveTimeout: 5_000, maxHeaderSize: 8 * 1024 };
const maxConnections = 100;

/**
 * Opens the plain-http site where devices get the local authority's certificate. It serves the page
 * and the certificate, and nothing else.
 */
export async function openCertificateSite({
  origin,
  local,
  host,
  port,
  securePort,
}: CertificateSiteDeps): Promise<CertificateSite> {
  const server = createServer(limits, (request, response) => send(request, response, choose(request)));
  server.maxConnections = maxConnections;
  const forPhones = () => {
    const name = bestForPhones(listensEverywhere(host) ? outerNames(origin, '') : [host]);
    return name === null ? null : formatAddress('http', name, portOf(server));
  };

  const choose = (request: IncomingMessage): Answer => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, headers: { allow: 'GET, HEAD' } };
    const [path] = (request.url ?? '/').split('?');
    if (path === '/')
      return { status: 200, type: 'text/html; charset=utf-8', body: renderCertificatePage(pageFor(request)) };
    // There is no Content-Disposition, because an iPhone saves attachments but offers to install
    // certificates.
    if (path === '/fourfold-authority.crt')
      return { status: 200, type: 'application/x-x509-ca-cert', body: local.authority.raw };
    return { status: 404 };
  };

  const pageFor = (request: IncomingMessage): CertificatePage => {
    const names = outerNames(origin, hostOf(request.headers.host));
    return {
      fingerprint: local.authority.fingerprint256,
      validUntil: local.authority.validToDate,
      addresses: names.map((name) => formatAddress('https', name, securePort)),
      stepsAddress: forPhones(),
      beyond: local.beyond(),
    };
  };

  await listen(server, host, port);
  // The `error` event means that a connection could not be accepted.
  server.on('error', () => {});
  return {
    address: forPhones(),
    port: portOf(server),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    await once(server.listen({ host, port }), 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(
      `the port ${port} for the page with the certificate is already in use. Choose another with HTTP_PORT.`,
      { cause: error },
    );
  }
}

/**
 * Names under which other devices reach this server, starting with the one that the request used. A
 * loopback name is included only if the request used it or there is no other name.
 */
function outerNames(origin: SecureOrigin, asked: string): string[] {
  const all = origin.names();
  const outer = all.filter((name) => !loopbackNames.includes(name));
  const first = all.includes(asked) ? [asked] : [];
  return [...new Set([...first, ...(outer.length === 0 ? all : outer)])];
}

function hostOf(header: string | undefined): string {
  try {
    return new URL(`http://${header ?? ''}`).hostname.replace(/^\[|\]$/g, '');
  } catch {
    return '';
  }
}

function portOf(server: Server): number {
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  type?: string;
  body?: string | Buffer;
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers = {}, type = 'text/plain; charset=utf-8', body = 'There is nothing here.\n' }: Answer,
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'content-security-policy': certificatePagePolicy,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

interface CertificatePage {
  /** SHA-256 fingerprint of the authority, as `AB:CD:…` */
  fingerprint: string;
  validUntil: Date;
  /** The https addresses of this server, best first. */
  addresses: readonly string[];
  /** The address of this page for phones, or null if no phone can reach this host. */
  stepsAddress: string | null;
  /** Names and addresses of this host that the authority may not certify. */
  beyond: readonly string[];
}

/**
 * The page works in the browsers of old TVs: it has no custom properties, no flexbox and no
 * scripts.
 */
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

/** Allows this style sheet only. */
const certificatePagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function renderCertificatePage({ fingerprint, validUntil, addresses, stepsAddress, beyond }: CertificatePage): string {
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

/** How to install the authority on one kind of device, in the words of its settings. */
interface DeviceSteps {
  id: string;
  device: string;
  /** HTML, only ever written in this file. */
  steps: readonly string[];
  note?: string;
}

const file = '<a href="/fourfold-authority.crt">fourfold-authority.crt</a>';

const deviceSteps: readonly DeviceSteps[] = [
  {
    id: 'iphone',
    device: 'iPhone and iPad',
    steps: [
      `In Safari, open ${file} and choose <b>Allow</b>.`,
      'Open <b>Settings</b>, choose <b>Profile Downloaded</b> near the top, then <b>Install</b>.',
      'In <b>Settings</b>, open <b>General</b>, <b>About</b>, <b>Certificate Trust Settings</b>, and switch the Fourfold authority on.',
    ],
    note: 'The last step is easily missed: without it nothing changes.',
  },
  {
    id: 'android',
    device: 'Android',
    steps: [
      `Open ${file}; it is saved under Downloads.`,
      'In <b>Settings</b>, search for <b>CA certificate</b> (under Security, Encryption and credentials, Install a certificate).',
      'Choose <b>Install anyway</b>, then the file.',
    ],
    note: 'Chrome follows at once. Android says from now on that the network may be monitored; it says so for every authority that a person installs. Firefox keeps to its own list.',
  },
  {
    id: 'windows',
    device: 'Windows',
    steps: [
      `Open ${file}, then the saved file, and choose <b>Install Certificate</b>.`,
      'Choose <b>Current User</b>, then <b>Place all certificates in the following store</b>: <b>Trusted Root Certification Authorities</b>.',
      'Compare the fingerprint in the question, choose <b>Yes</b>, and restart the browser.',
    ],
  },
  {
    id: 'macos',
    device: 'macOS',
    steps: [
      `Open ${file}, then the saved file: Keychain Access takes it into <b>login</b>.`,
      'Open the Fourfold authority there, unfold <b>Trust</b>, and choose <b>Always Trust</b>.',
      'Close the window, give your password, and restart the browser.',
    ],
  },
  {
    id: 'linux',
    device: 'Linux, and Firefox on any computer',
    steps: [
      `Save ${file}.`,
      'Firefox: <b>Settings</b>, <b>Privacy &amp; Security</b>, <b>View Certificates</b>, <b>Authorities</b>, <b>Import</b>, and tick <b>identify websites</b>.',
      'Chromium and Chrome: open <b>chrome://certificate-manager</b> (older: chrome://settings/certificates), import it as a trusted authority.',
    ],
  },
  {
    id: 'tv',
    device: 'TVs',
    steps: [
      'Most TVs cannot install an authority. Open the https address in the TV’s browser; if it warns and lets you go on, go on.',
      'Watching works that way. Installing the app and starting it without a network do not.',
    ],
    note: 'A TV that refuses altogether needs a certificate from a public authority (TLS_CERT_FILE), or Fourfold without TLS.',
  },
];

const brightOnBlack = '\u001b[97;40m';
const reset = '\u001b[0m';

/**
 * The QR code of an address as lines for a terminal, light on dark whatever the terminal's colours
 * are.
 */
export function qrLines(address: string): string[] {
  return renderUnicodeCompact(address, { border: 2 })
    .split('\n')
    .map((line) => `${brightOnBlack}${line}${reset}`);
}

/** The QR code of an address as an SVG element. `label` is its text for screen readers. */
function qrSvg(address: string, label: string): string {
  return renderSVG(address, { border: 2 }).replace(
    '<svg ',
    `<svg role="img" aria-label="${label}" width="200" height="200" `,
  );
}
