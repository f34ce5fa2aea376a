import type { LucideIcon } from 'lucide-react';
import { Activity, CircleUserRound, Clapperboard, LayoutGrid, MonitorDown, RefreshCw, Tag, Upload } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import type { ViewName } from '#app/state/navigation.ts';
import { taggingPages } from '#app/state/navigation.ts';
import { isAmong } from '#app/state/session.ts';
import { views } from '#app/views.ts';
import type { User } from '#contract/entities/user.ts';
import { acceptUpdate } from '../../platform/worker-link.ts';
import { appUpdate } from '../../state/app-update.ts';
import { askToInstall, install, watchInstall } from '../../state/install.ts';
import styles from './menu-entries.module.css';

export interface MenuEntry {
  label: string;
  Icon: LucideIcon;
  /** The view that it opens; a group opens the first of its pages. */
  view: ViewName;
  /** The pages of a group; empty for a single view. */
  pages: ReadonlyArray<{ title: string; name: ViewName }>;
}

const entry = (label: string, Icon: LucideIcon, view: ViewName, pages: MenuEntry['pages'] = []): MenuEntry => ({
  label,
  Icon,
  view,
  pages,
});

/** The entries of §2 Side menu, in its order. */
const all: readonly MenuEntry[] = [
  entry('Feed', LayoutGrid, 'feed'),
  entry('Videos', Clapperboard, 'channels'),
  entry('Upload', Upload, 'upload'),
  entry('Tagging', Tag, 'tag-management', taggingPages),
  entry('Performance', Activity, 'performance'),
  entry('Profile', CircleUserRound, 'profile'),
];

/** The entries that this user may see (§6). */
export function menuEntriesFor(user: Pick<User, 'effective_tier'> | null): MenuEntry[] {
  return all.filter(({ view }) => isAmong(user, views[view].audience));
}

export function isWithin({ view, pages }: MenuEntry, current: ViewName): boolean {
  return view === current || pages.some(({ name }) => name === current);
}

/** The last entry of the menu, shown while a new version is ready and its toast was dismissed. */
export function UpdateEntry({ className }: { className: string | undefined }) {
  const { isInMenu, isDeferred } = useSnapshot(appUpdate);
  if (!isInMenu || isDeferred) return null;
  return (
    <li>
      <button type="button" className={className} title="A new version of Fourfold is ready." onClick={acceptUpdate}>
        <RefreshCw aria-hidden="true" />
        Update
      </button>
    </li>
  );
}

/** Offers to install the app, once the viewer has come back to it. */
export function InstallEntry({ className }: { className: string | undefined }) {
  const { offer } = useSnapshot(install);
  useEffect(watchInstall, []);
  if (offer !== 'prompt') return null;
  return (
    <li>
      <button type="button" className={className} onClick={() => void askToInstall()}>
        <MonitorDown aria-hidden="true" />
        Install
      </button>
    </li>
  );
}

/** `warn`: files wait for the network or for the viewer; `danger`: some have failed. */
export type UploadTone = 'plain' | 'warn' | 'danger';

export interface UploadNotice {
  /** Number of files that are not uploaded; at 0 nothing is shown. */
  count: number;
  /** A short text, such as '2 files, 3 min left'. */
  words: string;
  tone: UploadTone;
}

/** The text about uploads in menus and pill. `watchUploads` keeps it current. */
export const uploadNotice = proxy<UploadNotice>({ count: 0, words: '', tone: 'plain' });

const tones = { plain: '', warn: styles.warn, danger: styles.danger };

/**
 * The number of files that are not uploaded, in the tab of a phone's menu; screen readers get the
 * text.
 */
export function UploadCount() {
  const { count, words, tone } = useSnapshot(uploadNotice);
  if (count === 0) return null;
  return (
    <>
      <span className={`${styles.count} ${tones[tone]}`} aria-hidden="true">
        {count > 99 ? '99+' : count}
      </span>
      <span className="visually-hidden">, {words}</span>
    </>
  );
}

/** The text about uploads, in the entry of the side menu under its label. */
export function UploadLine() {
  const { count, words, tone } = useSnapshot(uploadNotice);
  return count > 0 && <span className={`${styles.line} ${tones[tone]}`}>{words}</span>;
}
