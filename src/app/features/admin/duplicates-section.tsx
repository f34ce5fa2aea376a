import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Badge } from '#app/ui/badge.tsx';
import { Bar } from '#app/ui/bar.tsx';
import { Button } from '#app/ui/button.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { countText, dayOf, sizeText, spanText } from '#app/ui/texts.ts';
import { confirmations } from '#contract/confirmations.ts';
import type { DuplicateGroup, DuplicateVideo } from '#contract/entities/duplicate.ts';
import { limits } from '#contract/limits.ts';
import styles from './duplicates-section.module.css';
import {
  addChannels,
  bringBack,
  duplicateState,
  duplicates,
  findHeir,
  hide,
  keepAll,
  listAgain,
  openDuplicates,
  remove,
  searchNow,
  showAgain,
} from './duplicates-store.ts';
import { Poster } from './library/video-lists.tsx';
import shared from './section.module.css';
import { Moment } from './section-parts.tsx';

/** Videos that are the same, or look so, side by side. */
export function DuplicatesSection() {
  const state = useSnapshot(duplicates.state) as typeof duplicates.state;
  const { search } = useSnapshot(duplicateState);
  useEffect(openDuplicates, []);
  const isSearched = search?.finished_at != null;
  const nothing = isSearched ? 'No duplicates were found.' : 'No search has come to its end yet.';
  return (
    <div className={shared.section}>
      <SearchCard />
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        onRetry={() => void duplicates.reload()}
        skeleton={<Skeleton className={shared.waiting} />}
        empty={<p className={shared.empty}>{nothing}</p>}
      >
        <div className={shared.section} aria-busy={state.isLoading}>
          {state.items.map((group) => (
            <GroupCard key={group.id} group={group} />
          ))}
        </div>
      </ListBody>
      <Pagination
        page={state.page}
        lastPage={state.lastPage}
        onGo={(page) => duplicates.goTo(page)}
        note={countText(state.total ?? 0, 'group')}
      />
    </div>
  );
}

/** Says what counts as a duplicate, and shows the search in progress or the last one. */
function SearchCard() {
  const { search, isStarting, notice } = useSnapshot(duplicateState);
  const { isReachable } = useSnapshot(connection);
  const isBusy = isStarting || search?.is_running === true;
  const share = search?.progress == null ? null : search.progress / 100;
  return (
    <Card title="Duplicates">
      <div className={shared.lines}>
        <p>
          Videos of equal content, and videos of one length and size of picture whose stills are at least{' '}
          {limits.alikePercent} % alike. Hidden ones are listed under Library as well.
        </p>
        {isBusy && <Bar share={share} label="Search for duplicates" />}
        {!isBusy && search?.finished_at != null && (
          <p className={shared.quiet}>
            The last search ended <Moment time={search.finished_at} />. New videos are searched within an hour.
          </p>
        )}
        <div className={shared.buttons}>
          <Button
            kind="tonal"
            label={isBusy ? 'Searching...' : 'Search now'}
            isDisabled={isBusy || !isReachable}
            onPress={() => void searchNow()}
          />
        </div>
        <Notice notice={notice} />
      </div>
    </Card>
  );
}

function GroupCard({ group }: { group: DuplicateGroup }) {
  const { notices, kept } = useSnapshot(duplicateState);
  const { isReachable } = useSnapshot(connection);
  const [asked, setAsked] = useState<DuplicateVideo | null>(null);
  const { id, count, videos } = group;
  const [first] = videos;
  const isKept = kept.includes(id);
  const confirm = () => {
    setAsked(null);
    if (asked) void remove(id, asked);
  };
  if (first === undefined) return null;
  return (
    <Card title={first.title} end={<Badge words={countText(count, 'video')} />}>
      <ul className={styles.side}>
        {videos.map((video) => (
          <Tile key={video.id} group={group} video={video} onRemove={() => setAsked(video)} />
        ))}
      </ul>
      {count > videos.length && <p className={shared.quiet}>{`and ${count - videos.length} more`}</p>}
      <Notice notice={notices[id] ?? null} />
      <div className={styles.foot}>
        <div className={shared.buttons}>
          <Button
            kind="line"
            label={isKept ? 'List again' : 'Keep all'}
            name={isKept ? `List again ${first.path}` : `Keep all like ${first.path}`}
            isDisabled={!isReachable}
            onPress={() => void (isKept ? listAgain(id) : keepAll(id))}
          />
        </div>
      </div>
      {asked && (
        <ConfirmDialog
          title="Remove Video"
          sentence={confirmations.removeDuplicate(asked.path)}
          action="Remove"
          onConfirm={confirm}
          onClose={() => setAsked(null)}
        />
      )}
    </Card>
  );
}

interface TileProps {
  group: DuplicateGroup;
  video: DuplicateVideo;
  onRemove: () => void;
}

function Tile({ group, video, onRemove }: TileProps) {
  const { fates, added } = useSnapshot(duplicateState);
  const { isReachable } = useSnapshot(connection);
  const { id, path, poster_url, upload } = video;
  const fateBadge = { hidden: 'Hidden', removed: 'Removed' };
  const fate = fates[id] ?? null;
  const heir = fate === null || added.includes(id) ? null : findHeir(group, video, fates);
  const add = (to: DuplicateVideo) => addChannels(group.id, video, to);
  const button = (label: string, onPress: () => void, name = `${label} ${path}`) => (
    <Button kind="line" label={label} name={name} isDisabled={!isReachable} onPress={onPress} />
  );
  return (
    <li className={styles.tile}>
      <Poster url={poster_url} />
      <p className={styles.path}>
        <bdi>{path}</bdi>
      </p>
      <Facts video={video} />
      <p className={styles.badge}>
        <Badge words={fate === null ? likenessText(group, video) : fateBadge[fate]} />
      </p>
      <div className={shared.buttons}>
        {fate !== 'removed' &&
          (fate === 'hidden'
            ? button('Show again', () => void showAgain(group.id, video))
            : button('Hide', () => void hide(group.id, video)))}
        {upload !== null &&
          fate !== 'hidden' &&
          (fate === 'removed'
            ? button('Bring back', () => void bringBack(group.id, video))
            : button('Remove', onRemove))}
        {heir !== null && button('Add its channels to the other', () => void add(heir))}
      </div>
    </li>
  );
}

function Facts({ video }: { video: DuplicateVideo }) {
  const { size, duration, width, height, video_codec, created_at, tags } = video;
  const picture = width === null || height === null ? null : `${width} × ${height}`;
  const length = duration === null ? null : spanText(Math.round(duration));
  const parts = [sizeText(size), picture, video_codec?.toUpperCase(), length].filter(Boolean);
  return (
    <div className={styles.facts}>
      <p>{parts.join(', ')}</p>
      <p>{`Added ${dayOf(created_at)}`}</p>
      {tags.length > 0 && (
        <p>
          Channels: <bdi>{tags.map(({ name }) => name).join(', ')}</bdi>
        </p>
      )}
    </div>
  );
}

/** How near a video is to the first of its group. */
function likenessText({ videos: [first] }: DuplicateGroup, video: DuplicateVideo): string {
  const { id, is_copy, likeness } = video;
  if (id === first?.id) return 'The oldest';
  if (is_copy) return 'Equal content';
  return likeness === null ? 'Looks alike' : `Stills ${likeness} % alike`;
}
