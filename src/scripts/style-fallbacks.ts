import type { Declaration, Plugin } from 'postcss';

/** Matches `min()`, `max()` and `clamp()`, which Chrome 79 introduced. */
export const comparison = /\b(min|max|clamp)\(/;

/**
 * Adds a fallback before each declaration with `min()`, `max()` or `clamp()`, for engines without them: the first
 * argument of `min` and `max`, the middle one of `clamp`. So style sheets put the argument that suits a TV first.
 * Custom properties get no fallback, because old engines accept any value in them.
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

/** Whether the rule declares the same property before, which old engines use instead. */
export function hasFallback(declaration: Declaration): boolean {
  for (let before = declaration.prev(); before !== undefined; before = before.prev())
    if (before.type === 'decl' && before.prop === declaration.prop) return true;
  return false;
}

/** Replaces comparisons from the innermost to the outermost, so that a chosen argument contains none. */
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

/** Splits a list at the commas outside of brackets. */
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
