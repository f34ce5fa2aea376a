/**
 * The path of a request as the most generous reader would understand it: decoded, lower case, without empty, dot or
 * absolute parts. Nothing is served by it; it only tells whether an address that no route knows tries to pass for one
 * that is closed.
 */
export function plainPath(url: string): string {
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  const parts: string[] = [];
  for (const part of decode(path).replaceAll('\\', '/').toLowerCase().split('/')) {
    const name = withoutFinalDots(part.trim());
    if (part === '..') parts.pop();
    else if (name !== '') parts.push(name);
  }
  return `/${parts.join('/')}`;
}

/** However often it was encoded: a path that was encoded a thousand times must not be decoded a thousand times. */
function decode(path: string): string {
  const decoded = decodeAscii(path);
  try {
    return decodeURIComponent(decoded);
  } catch {
    return decoded;
  }
}

/** In one pass: what is decoded may be the end of another escape, which then stands complete before it. */
function decodeAscii(path: string): string {
  const signs: string[] = [];
  for (const sign of path) {
    signs.push(sign);
    for (let code = lastEscape(signs); code !== null; code = lastEscape(signs))
      signs.splice(-3, 3, String.fromCharCode(code));
  }
  return signs.join('');
}

/** The code of an ASCII sign that is escaped at the end. */
function lastEscape(signs: readonly string[]): number | null {
  if (signs[signs.length - 3] !== '%') return null;
  const digits = signs.slice(-2).join('');
  return /^[0-7][\da-f]$/i.test(digits) ? Number.parseInt(digits, 16) : null;
}

function withoutFinalDots(name: string): string {
  let { length } = name;
  while (name[length - 1] === '.') length -= 1;
  return name.slice(0, length);
}
