import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const lineIcon = fileURLToPath(new URL('../app/ui/line-icon.tsx', import.meta.url));

/**
 * Builds the icons of lucide-react with `ui/line-icon.tsx`. The component of the package can do much that no icon here
 * asks for, and would be 1 KiB of the first files.
 */
export function drawLineIcons(): Plugin {
  return {
    name: 'draw-line-icons',
    apply: 'build',
    enforce: 'pre',
    resolveId: (source, importer = '') =>
      source.endsWith('/createLucideIcon.mjs') && importer.includes('/lucide-react/dist/esm/icons/') ? lineIcon : null,
  };
}
