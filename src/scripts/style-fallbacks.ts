import type { Declaration, Plugin } from 'postcss';

/** `min()`, `max()` and `clamp()` came with Chrome 79. */
export const comparison = /\b(min|max|clamp)\(/;

/**
 * Writes what engines without `min()`, `max()` and `clamp()` take before each declaration that uses them: the first
 * argument of `min` and `max`, the middle one of `clamp`. So the argument that suits a TV comes first in our style
 * sheets. Custom properties cannot have a fallback: an old engine takes whatever they hold, and finds out where it is
 * used.
 */
export function addStyleFallbacks(): Plugin {
  return {
    postcssPlugin: 'style-fallbacks',
    OnceExit(root) {
      root.walkDecls((declaration) => {
        if (comparison.test(declaration.value) && !declaration.prop.startsWith('--') && !hasFallback(declaration))
          declaration.cloneBefore({ value: withoutComparisons(declaration.value) });
      });
    },
  };
}

/** A declaration of the same property before it in its rule, which old engines take instead. */
export function hasFallback(declaration: Declaration): boolean {
  for (let before = declaration.prev(); before !== undefined; before = before.prev())
    if (before.type === 'decl' && before.prop === declaration.prop) return true;
  return false;
}

/** Innermost first, so that what is chosen holds no further comparison. */
export function withoutComparisons(value: string): string {
  const innermost = /\b(min|max|clamp)\(((?:(?!\b(?:min|max|clamp)\()[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/;
  let plain = value;
  for (let match = innermost.exec(plain); match !== null; match = innermost.exec(plain)) {
    const [whole, name, list = ''] = match;
    const chosen = argumentsOf(list)[name === 'clamp' ? 1 : 0] ?? '0';
    plain = plain.replace(
      whole,
      /[ +*/-]/.test(chosen) && !/^[\w-]+\(.*\)$|^-?[\d.]+\w*%?$/.test(chosen) ? `calc(${chosen})` : chosen,
    );
  }
  return plain;
}

/** What stands between commas that are in no brackets. */
function argumentsOf(list: string): string[] {
  const found = [''];
  let depth = 0;
  for (const sign of list) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (sign === ',' && depth === 0) found.push('');
    else found[found.length - 1] += sign;
  }
  return found.map((argument) => argument.trim());
}
