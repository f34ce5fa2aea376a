import { createHash } from 'node:crypto';

const style = `
html { background: #0c0e10; color: #f4f1ea; font: 100%/1.5 "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
body { margin: 0 auto; max-width: 40em; padding: 1.5em 1.25em 4em; }
h1 { font-size: 1.75em; line-height: 1.2; margin: 0 0 .5em; }
code { font-family: Consolas, Menlo, monospace; word-break: break-all; word-wrap: break-word; }
pre { background: #1b1f24; overflow: auto; padding: .75em 1em; white-space: pre-wrap; }
`;

/** Only this style sheet, and nothing else at all. */
export const refusedHostPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** @param name a name that DNS can carry; null for anything else, which is not repeated */
export function describeRefusedHost(name: string | null): string {
  if (name === null) return 'This site does not go by that name.';
  return `This site does not go by the name ${name}. Whoever runs it can add the line ${lineFor(name)} to its .env.`;
}

export function renderRefusedHost(name: string | null): string {
  const text =
    name === null
      ? 'This site does not go by the name in the address.'
      : `This site does not go by the name <code>${escapeText(name)}</code>.`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fourfold: another name</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>This is not the site’s name</h1>
<p>${text}</p>
${name === null ? '' : sayLines(escapeText(name))}
</main>
</body>
</html>
`;
}

function sayLines(name: string): string {
  return `<p>If you run this site, add this line to its <code>.env</code> and start it again:</p>
<pre>${lineFor(name)}</pre>
<p>It then answers to the names in that line alone, besides this machine’s own: add every other name and address by which it is opened, separated by commas. To keep all addresses of your network as well, name the site’s public address instead:</p>
<pre>PUBLIC_URL=https://${name}</pre>`;
}

function lineFor(name: string): string {
  return `ALLOWED_HOSTS=${name}`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
