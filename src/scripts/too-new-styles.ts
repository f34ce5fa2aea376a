import postcss from 'postcss';
import { comparison, hasFallback } from './style-fallbacks.ts';

const tooNewProperties = new Set([
  'aspect-ratio',
  'inset',
  'translate',
  'rotate',
  'scale',
  'container-type',
  'accent-color',
  'inset-inline',
  'inset-block',
]);
const tooNewValues =
  /\b(\d*\.?\d+)(dvh|svh|lvh|dvw|svw|lvw|cqw|cqh)\b|color-mix\(|oklch\(|oklab\(|\benv\(|conic-gradient\(/;
const tooNewSelectors = /:(is|where|has|focus-visible)\b|&/;

/**
 * The style features in `css` that Chromium 68 ignores, each with where it stands. A fallback declared before it in
 * the same rule makes a newer value harmless.
 */
export function findTooNewStyles(css: string): string[] {
  const found: string[] = [];
  const root = postcss.parse(css);
  root.walkDecls((declaration) => {
    const where = declaration.parent?.type === 'rule' ? (declaration.parent as postcss.Rule).selector : 'at-rule';
    if (tooNewProperties.has(declaration.prop)) found.push(`${declaration.prop} in ${where}`);
    if (isTooNew(declaration.value) && !hasFallback(declaration) && !isAskedFor(declaration))
      found.push(`${declaration.value} in ${where}`);
    if (/^(gap|row-gap|column-gap)$/.test(declaration.prop) && isFlexContainer(declaration.parent))
      found.push(`flex ${declaration.prop} in ${where}`);
  });
  root.walkRules((rule) => {
    if (tooNewSelectors.test(rule.selector)) found.push(rule.selector);
  });
  root.walkAtRules(/^(layer|container|property|scope)$/, (rule) => {
    found.push(`@${rule.name}`);
  });
  return found;
}

function isTooNew(value: string): boolean {
  return tooNewValues.test(value) || comparison.test(value);
}

/** Within an `@supports` that asks for such a value. */
function isAskedFor({ parent }: postcss.Declaration): boolean {
  for (
    let node: postcss.Container | postcss.Document | undefined = parent as postcss.Container | undefined;
    node !== undefined;
    node = node.parent
  )
    if (
      node.type === 'atrule' &&
      (node as postcss.AtRule).name === 'supports' &&
      isTooNew((node as postcss.AtRule).params)
    )
      return true;
  return false;
}

/** A gap is safe where the same rule makes a grid; anything else may be a flex box. */
function isFlexContainer(parent: postcss.Declaration['parent']): boolean {
  const displays: string[] = [];
  parent?.each((node) => {
    if (node.type === 'decl' && node.prop === 'display') displays.push(node.value);
  });
  return !displays.at(-1)?.includes('grid');
}
