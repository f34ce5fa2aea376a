import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Rolldown } from 'vite';

/** The package's single list of icons would load those of later screens, too, so each icon is its own module. */
const icons = /node_modules\/lucide-react\/dist\/esm\/icons\//;

/** The feed loads these by itself after its first frames, on every visit. */
const watching = [
  'platform/input/gestures.ts',
  'features/feed/controls/quadrant-controls.tsx',
  'features/feed/feed-keys.ts',
  'features/feed/monitors.ts',
  'features/feed/quadrant/quadrant-gestures.tsx',
  'features/feed/supply/hidden-videos.ts',
  'platform/worker-link.ts',
  'shell/menu/side-menu.tsx',
  'shell/remote.ts',
  'shell/shell.tsx',
  'state/start-session.ts',
  'state/status.ts',
];

/** The feed loads these when somebody asks for them, or something fails. */
const onDemand = [
  'features/feed/controls/on-demand.tsx',
  'features/feed/controls/quadrant-menu.tsx',
  'features/feed/controls/seek-preview.tsx',
  'features/feed/filter/filter-panel.tsx',
  'features/feed/filter/vanished-channels.ts',
  'features/feed/quadrant/library-messages.tsx',
  'features/feed/shortcuts-dialog.tsx',
  'features/feed/statistics-panel.tsx',
  'features/feed/subtitles/quadrant-subtitles.tsx',
  'features/feed/supply/address-again.ts',
  'features/feed/supply/cached-lists.ts',
  'features/video-dialogs/video-act-dialog.tsx',
  'playback/quality/lost-needs.ts',
];

/** A start without the server needs all of it before its first frame. */
const saved = ['features/feed/supply/saved-source.ts'];

const upload = 'features/upload/upload-screen.tsx';

/** These share lists, forms and cards, and work without the network. */
const screens = [
  'features/feed/filter/filter-panel.tsx',
  upload,
  'features/profile/profile-screen.tsx',
  'features/tag-management/tag-management-screen.tsx',
  'features/video-tagging/video-tagging-screen.tsx',
  'features/videos/videos-screen.tsx',
];

/**
 * The chunks that modules share. Small files cost a request each and compress badly, so what the app loads together is
 * one chunk; and no chunk holds what is needed later than its first module.
 */
export const chunkGroups: Rolldown.CodeSplittingGroup[] = [
  // This chunk runs before the polyfills, so it must contain nothing that needs them.
  group('first', 10, (id, modules) => isNeededBy('main.ts', id, modules)),
  group('engine', 9, (id, modules) => isPartOf(['engine.ts'], id, modules)),
  group('draw-app', 8, (id, modules) => isPartOf(['draw-app.tsx'], id, modules)),
  // The engine loads this chunk at once, before the views.
  group('device', 7, (id, modules) => isPartOf(['playback/quality/device-class.ts'], id, modules)),
  // A start without the server runs no more than it needs: what both load is a chunk of its own.
  group('stored', 6, (id, modules) => isPartOf(saved, id, modules) && isPartOf(watching, id, modules)),
  group('watching', 5, (id, modules) => isPartOf(watching, id, modules)),
  group('saved', 4, (id, modules) => isPartOf(saved, id, modules)),
  group('parts', 3, (id, modules) => isNeededBy(upload, id, modules) && countUsers(screens, id, modules) > 1),
  group('screens', 2, (id, modules) => countUsers(screens, id, modules) > 1),
  group('on-demand', 1, (id, modules) => isPartOf(onDemand, id, modules)),
];

type IsInGroup = (id: string, modules: Rolldown.ChunkingContext) => boolean;

function group(name: string, priority: number, isIn: IsInGroup): Rolldown.CodeSplittingGroup {
  return {
    name: (id, modules) => (!icons.test(id) && isIn(id, modules) ? name : null),
    debugName: name,
    priority,
  };
}

/** Whether the entry imports the module, directly or indirectly. */
function isNeededBy(entry: string, id: string, modules: Rolldown.ChunkingContext): boolean {
  return collectImports(pathOf(entry), modules).has(id);
}

/** Whether the module is one of the entries, or imported by one. */
function isPartOf(entries: readonly string[], id: string, modules: Rolldown.ChunkingContext): boolean {
  return entries.some((entry) => id === pathOf(entry) || isNeededBy(entry, id, modules));
}

function countUsers(entries: readonly string[], id: string, modules: Rolldown.ChunkingContext): number {
  return entries.filter((entry) => isNeededBy(entry, id, modules)).length;
}

/** @throws when there is no such file */
function pathOf(file: string): string {
  const path = fileURLToPath(new URL(`../app/${file}`, import.meta.url));
  if (!existsSync(path)) throw new Error(`The app has no ${file}.`);
  return path;
}

const imports = new Map<string, Set<string>>();

/** All modules that a module imports statically, directly or indirectly. */
function collectImports(entry: string, modules: Rolldown.ChunkingContext): ReadonlySet<string> {
  const known = imports.get(entry);
  if (known) return known;
  const all = new Set<string>();
  const waiting = [entry];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    for (const next of modules.getModuleInfo(id)?.importedIds ?? []) {
      if (all.has(next)) continue;
      all.add(next);
      waiting.push(next);
    }
  }
  imports.set(entry, all);
  return all;
}
