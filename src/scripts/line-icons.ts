import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const lineIcon = fileURLToPath(new URL('../app/ui/line-icon.tsx', import.meta.url));

/**
 * Builds the icons of lucide-react with `ui/line-icon.tsx`. The package's own component has features that the app does
 * not use, and would add 1 KiB to the first files.
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
