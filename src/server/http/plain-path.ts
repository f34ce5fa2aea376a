/**
 * The path of a request as the most generous reader would understand it: decoded, lower case, without empty, dot or absolute parts. Nothing is
 * served by it; it only tells whether an address that no route knows tries to pass for one that is closed.
 */
export function plainPath(url: string): string {
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  const parts: string[] = [];
  for (const part of decode(path).replaceAll('\\', '/').toLowerCase().split('/')) {
    const name = part.trim().replace(/\.+$/, '');
    if (part === '..') parts.pop();
    else if (name !== '') parts.push(name);
  }
  return `/${parts.join('/')}`;
}

function decode(path: string): string {
  try {
    const decoded = decodeURIComponent(path);
    return decoded === path ? path : decode(decoded);
  } catch {
    return path;
  }
}
