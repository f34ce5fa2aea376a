import type { SVGProps } from 'react';
import { createElement } from 'react';

/** An icon's shapes, as lucide-react defines them, each with a `key` among the attributes. */
interface IconData {
  readonly node: ReadonlyArray<readonly [tag: string, attributes: Readonly<Record<string, string>>]>;
}

/**
 * Replaces `createLucideIcon` in builds (`src/scripts/line-icons.ts`): a decorative icon whose size
 * and colour come from styles.
 */
// biome-ignore lint/style/noDefaultExport: the icons of the package import it so
export default function createLineIcon({ node }: IconData) {
  const shapes = node.map(([tag, attributes]) => createElement(tag, attributes));
  return function LineIcon(props: SVGProps<SVGSVGElement>) {
    return (
      <svg
        xmlns="http://www.w3.org/2000/svg"
        width={24}
        height={24}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={2}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        {...props}
      >
        {shapes}
      </svg>
    );
  };
}
