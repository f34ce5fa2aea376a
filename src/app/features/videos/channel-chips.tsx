import { Heart, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { focusOn } from '#app/platform/input/focus-scopes.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { blockedTagIds, session } from '#app/state/session.ts';
import { setLabels } from '#app/state/video-sets.ts';
import { Swatch } from '#app/ui/badge.tsx';
import { IconButton } from '#app/ui/button.tsx';
import { SearchField } from '#app/ui/form/text-field.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Skeleton } from '#app/ui/loading.tsx';
import { EmptyPart } from '#app/ui/page.tsx';
import { countText } from '#app/ui/texts.ts';
import { isSetId } from '#contract/rules/tag-filter.ts';
import type { Channel } from './browse-store.ts';
import { browse, channels, isAsked, newestAction, openSearch, toggleChannel, videos } from './browse-store.ts';
import styles from './channel-chips.module.css';

/** The channels as chips, with a search and the number of blocked channels (§2 Videos). */
export function ChannelChips() {
  const list = useSnapshot(channels.state);
  const { chosen } = useSnapshot(browse);
  const blocked = blockedTagIds(useSnapshot(session));
  const { cachedAt: videosCachedAt } = useSnapshot(videos.state);
  const { items, total, failure, cachedAt } = list;
  const visible = items.filter(({ id }) => !blocked.includes(id));
  const { user } = useSnapshot(session);
  const first = useFirstChosen(chosen, list.isLoading).filter(({ id }) => !isSetId(id));
  const shown = orderChannels(visible, first);
  const favouritesItem = user && (
    <li className={styles.item}>
      <ChannelChip
        channel={setLabels['is:favourite']}
        isOn={chosen.some(({ id }) => id === 'is:favourite')}
        onPress={() => toggleChannel(setLabels['is:favourite'])}
      />
    </li>
  );
  return (
    <>
      <Searches hidden={blocked.length} />
      {shown.length === 0 && currentForm() === 'tv' && <SearchButton />}
      {shown.length === 0 && favouritesItem && (
        <ul className={`${styles.chips} ${styles.alone}`} aria-label="Channels" data-focus-region>
          {favouritesItem}
        </ul>
      )}
      <ListBody
        face={shown.length > 0 || faceOf(list) !== 'items' ? faceOf(list) : 'empty'}
        failure={failure}
        // Once for both lists: the age of the older one.
        cachedAt={cachedAt === null ? null : Math.min(cachedAt, videosCachedAt ?? cachedAt)}
        onRetry={() => void channels.reload()}
        skeleton={<Skeleton className={styles.skeleton} />}
        empty={<NoChannels isSearched={list.search.trim() !== ''} />}
      >
        <ul className={styles.chips} aria-label="Channels" data-focus-region data-focus-first>
          {currentForm() === 'tv' && (
            <li className={styles.item}>
              <SearchButton />
            </li>
          )}
          {favouritesItem}
          {shown.map((channel) => (
            <li key={channel.id} className={styles.item}>
              <ChannelChip
                channel={channel}
                isOn={chosen.some(({ id }) => id === channel.id)}
                onPress={() => toggleChannel(channel)}
              />
            </li>
          ))}
        </ul>
        {total !== null && total > items.length && (
          <p className={styles.more}>
            {`Showing ${items.length} of ${countText(total, 'channel')}. The search finds the others.`}
          </p>
        )}
      </ListBody>
    </>
  );
}

/**
 * Shown instead of chips. Without any channel it offers the newest videos, unless videos are
 * listed.
 */
function NoChannels({ isSearched }: { isSearched: boolean }) {
  const { chosen, isNewest } = useSnapshot(browse);
  const { search } = useSnapshot(videos.state);
  if (isSearched)
    return <EmptyPart heading="No channels match your search" sentence="Clear the search to see all of them." />;
  if (isAsked(chosen, isNewest, search)) return null;
  return (
    <EmptyPart
      heading="No channels available"
      sentence="Videos are found here once they have channels."
      action={newestAction}
    />
  );
}

/**
 * The channels chosen when the list was loaded. Presses do not change the order, so that the focus
 * stays in place.
 */
function useFirstChosen(chosen: readonly Readonly<Channel>[], isLoading: boolean): readonly Readonly<Channel>[] {
  const [first, setFirst] = useState({ chosen, isLoading });
  if (first.isLoading === isLoading) return first.chosen;
  setFirst({ chosen, isLoading });
  return chosen;
}

/**
 * Orders the chips. In a single row the chosen channels come first; in several rows only those that
 * the search does not find do.
 */
function orderChannels<One extends Readonly<Channel>>(
  items: readonly One[],
  chosen: readonly Readonly<Channel>[],
): readonly Readonly<Channel>[] {
  if (items.length === 0) return [];
  const isInRow = ['phone', 'tv'].includes(currentForm());
  const front = chosen.filter(({ id }) => isInRow || !items.some((item) => item.id === id));
  return [...front, ...items.filter(({ id }) => !front.some((one) => one.id === id))];
}

interface Props {
  channel: Readonly<Channel>;
  isOn: boolean;
  onPress: () => void;
}

/** A channel to choose, with the number of its videos. */
function ChannelChip({ channel: { id, name, color, video_count }, isOn, onPress }: Props) {
  return (
    <button type="button" className={styles.chip} aria-pressed={isOn} onClick={onPress}>
      {isSetId(id) ? <Heart className={styles.heart} aria-hidden="true" /> : <Swatch color={color} />}
      <span className={styles.name} dir="auto">
        {name}
      </span>
      {video_count !== undefined && (
        <span className={styles.count}>
          {video_count.toLocaleString()}
          <span className="visually-hidden"> {video_count === 1 ? 'video' : 'videos'}</span>
        </span>
      )}
    </button>
  );
}

const label = 'Search channels...';

/** The searches for channels and videos, and the number of blocked channels. */
function Searches({ hidden }: { hidden: number }) {
  const { search } = useSnapshot(channels.state, { sync: true });
  const { search: videoSearch } = useSnapshot(videos.state, { sync: true });
  return (
    <div className={styles.bar}>
      {areFieldsOpen(useSnapshot(browse).isSearchOpen) && (
        <Fields>
          <div className={styles.field}>
            <SearchField
              label={label}
              value={search}
              onChange={(text) => channels.typeSearch(text)}
              onApply={() => channels.applySearch()}
              onClear={() => channels.clearSearch()}
            />
          </div>
          <div className={styles.field}>
            <SearchField
              label="Search videos..."
              value={videoSearch}
              onChange={(text) => videos.typeSearch(text)}
              onApply={() => videos.applySearch()}
              onClear={() => videos.clearSearch()}
            />
          </div>
        </Fields>
      )}
      {hidden > 0 && <p className={styles.hidden}>{`${countText(hidden, 'channel')} hidden by your blocklist`}</p>}
    </div>
  );
}

/** The search fields. On TVs a button opens them, and the first one gets the focus. */
function Fields({ children }: { children: ReactNode }) {
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const input = currentForm() === 'tv' ? fields.current?.querySelector('input') : null;
    if (input) focusOn(input);
  }, []);
  return (
    <div ref={fields} className={styles.fields}>
      {children}
    </div>
  );
}

/** On TVs: a button before the chips that opens the search fields. */
function SearchButton() {
  if (areFieldsOpen(useSnapshot(browse).isSearchOpen)) return null;
  return (
    <IconButton className={styles.button} label={label} icon={<Search aria-hidden="true" />} onPress={openSearch} />
  );
}

function areFieldsOpen(isSearchOpen: boolean): boolean {
  return isSearchOpen || currentForm() !== 'tv';
}
