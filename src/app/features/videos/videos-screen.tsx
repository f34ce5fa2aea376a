import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Suspense, useEffect, useState } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { watchHiding } from '#app/state/revision.ts';
import { onBlocklistChange } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { lengths, shapes, showFavourites } from '#app/state/video-sets.ts';
import { Select } from '#app/ui/form/select.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { lazyPart, Skeleton } from '#app/ui/loading.tsx';
import { CardStills } from '#app/ui/media/card-stills.tsx';
import { Preview } from '#app/ui/media/preview.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { EmptyPart, Page, Tabs } from '#app/ui/page.tsx';
import { usePresses } from '#app/ui/presses.ts';
import { useDerived } from '#app/ui/store-hooks.ts';
import { countText } from '#app/ui/texts.ts';
import { limits } from '#contract/limits.ts';
import type { VideoSet } from '#contract/rules/tag-filter.ts';
import { clockText } from '#contract/rules/text.ts';
import type { VideoCard } from './browse-store.ts';
import {
  applyBlocklist,
  browse,
  channels,
  chooseSet,
  isAsked,
  newestAction,
  openBrowsing,
  openWatched,
  sortVideos,
  videos,
} from './browse-store.ts';
import { ChannelChips } from './channel-chips.tsx';
import { CardHeart, isShownByHeart } from './favourite-button.tsx';
import {
  closePlayer,
  dismissFailure,
  leave,
  openPlaces,
  play,
  player,
  playShared,
  VideoPlayer,
} from './video-player.tsx';
import styles from './videos-screen.module.css';

interface Props {
  title: string;
  notice: ReactNode;
}

/** §2 Videos: channels to choose from, and their videos. */
export function VideosScreen({ title, notice }: Props) {
  const { remembersWatched } = useSnapshot(siteConfig);
  const isWatchedShown = useSnapshot(browse).isWatchedOpen && remembersWatched;
  useEffect(openBrowsing, []);
  useEffect(showFavourites, []);
  useEffect(() => onBlocklistChange(applyBlocklist), []);
  const playedId = useDerived(player, () => player.video?.id ?? null);
  useEffect(() => (playedId === null ? undefined : watchHiding(playedId, () => leave(playedId))), [playedId]);
  useEffect(() => {
    void playShared();
    return closePlayer;
  }, []);
  return (
    <Page title={title} notice={notice}>
      <PlayerFailure />
      {remembersWatched && (
        <Tabs
          label="Lists"
          tabs={tabs}
          current={isWatchedShown ? 'watched' : 'channels'}
          isStart={isWatchedShown}
          onChoose={({ name }) => openWatched(name === 'watched')}
        />
      )}
      {isWatchedShown ? (
        <Suspense fallback={null}>
          <WatchedTab />
        </Suspense>
      ) : (
        <>
          <ChannelChips />
          <Results />
        </>
      )}
      <VideoPlayer />
    </Page>
  );
}

const tabs = [
  { name: 'channels', title: 'Channels' },
  { name: 'watched', title: 'Watched' },
] as const;

const WatchedTab = lazyPart(
  async () => (await import('./watched-tab.tsx')).WatchedTab,
  () => <EmptyPart sentence="This could not be loaded." />,
);

function PlayerFailure() {
  const { failure } = useSnapshot(player);
  if (failure === null) return null;
  return (
    <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={failure} onDismiss={dismissFailure} />
  );
}

/** If the file does not load, the channels cannot be kept now. */
const KeepChannels = lazyPart(
  async () => (await import('./keep-button.tsx')).KeepChannels,
  () => null,
);

const sorts = [
  { value: 'newest', label: 'Newest' },
  { value: 'name', label: 'Name' },
  { value: 'recorded', label: 'Recorded' },
  { value: 'longest', label: 'Longest' },
  { value: 'largest', label: 'Largest' },
  { value: 'played', label: 'Most played' },
] as const;

/** The sets of a group, and none of them. */
function SetSelect({ label, anyLabel, group }: { label: string; anyLabel: string; group: readonly VideoSet[] }) {
  const { chosen } = useSnapshot(browse);
  const value = group.find((set) => chosen.some(({ id }) => id === set)) ?? 'any';
  const options = [
    { value: 'any' as const, label: anyLabel },
    ...group.map((set) => ({ value: set, label: setWords[set] })),
  ];
  return (
    <div className={styles.sort}>
      <Select
        label={label}
        isLabelHidden
        options={options}
        value={value}
        onChange={(set) => chooseSet(group, set === 'any' ? null : set)}
      />
    </div>
  );
}

const setWords: Record<VideoSet, string> = {
  'is:favourite': 'Favourites',
  'is:short': 'Under 1 min',
  'is:medium': '1 to 20 min',
  'is:long': 'Over 20 min',
  'is:upright': 'Upright',
  'is:wide': 'Wide',
};

/** The requested videos as cards, in pages (§2 Videos). */
function Results() {
  const list = useSnapshot(videos.state);
  // Why a heart did not change, or what becomes of it.
  const [told, setTold] = useState('');
  const { chosen, isNewest, sortBy } = useSnapshot(browse);
  const channelList = useSnapshot(channels.state);
  if (!isAsked(chosen, isNewest, list.search)) {
    // A library without channels offers the newest videos in place of the chips: a button that stood
    // here until then would vanish under a press.
    if (faceOf(channelList) === 'loading' || (channelList.total === 0 && channelList.search === '')) return null;
    return (
      <EmptyPart
        heading="Select Channels to Browse"
        sentence="Their videos are listed here, from any of the channels."
        action={newestAction}
      />
    );
  }
  const { items, total, failure, page, lastPage, isLoading, cachedAt } = list;
  return (
    <section aria-label="Videos" aria-busy={isLoading}>
      <div className={styles.head}>
        <h2 className={styles.names} dir="auto">
          {chosen.map(({ name }) => name).join(', ') ||
            (isNewest && sortBy === 'newest' ? 'Newest videos' : 'All channels')}
        </h2>
        {total !== null && (
          <p role="status" className={styles.count}>
            {countText(total, 'video')}
          </p>
        )}
        {chosen.length > 0 && (
          <Suspense fallback={null}>
            <KeepChannels chosen={chosen} />
          </Suspense>
        )}
        <div className={styles.selects}>
          <SetSelect label="Length" anyLabel="Any length" group={lengths} />
          <SetSelect label="Shape" anyLabel="Any shape" group={shapes} />
          <div className={styles.sort}>
            <Select label="Sort by" isLabelHidden options={sorts} value={sortBy} onChange={sortVideos} />
          </div>
        </div>
      </div>
      {told !== '' && (
        <p role="status" className={styles.told}>
          {told}
        </p>
      )}
      <ListBody
        face={faceOf(list)}
        failure={failure}
        cachedAt={channelList.cachedAt === null ? cachedAt : null}
        onRetry={() => void videos.reload()}
        skeleton={<Waiting />}
        empty={
          <NoVideos isOfFavourites={chosen.length === 1 && chosen[0]?.id === 'is:favourite' && list.search === ''} />
        }
      >
        <ul className={styles.cards} data-focus-region>
          {items.map((video) => (
            <li key={video.id} className={styles.item}>
              <VideoCardButton video={video} />
              <CardHeart
                video={{ id: video.id, title: video.title ?? video.filename }}
                onTold={(sentence) => setTold(isShownByHeart(sentence) ? '' : sentence)}
              />
            </li>
          ))}
        </ul>
      </ListBody>
      <Pagination page={page} lastPage={lastPage} onGo={(next) => videos.goTo(next)} />
    </section>
  );
}

function NoVideos({ isOfFavourites }: { isOfFavourites: boolean }) {
  return isOfFavourites ? (
    <EmptyPart heading="No favourites yet" sentence="Videos that you mark with the heart are listed here." />
  ) : (
    <EmptyPart heading="No Videos Found" sentence="No video that can be played matches." />
  );
}

/** The skeleton of the cards. */
function Waiting() {
  return (
    <div className={styles.cards}>
      {Array.from({ length: limits.videosPerPage / 2 }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={at} className={styles.skeleton} />
      ))}
    </div>
  );
}

/**
 * A video's poster, stills, duration, name and channels. A press plays it, a held one opens its
 * menu. A video that cannot be played shows the reason.
 */
function VideoCardButton({ video }: { video: Snapshot<VideoCard> }) {
  const { title, filename, url, poster_url, storyboard, duration, tags, available, message } = video;
  const card = { ...video, tags: [...tags], renditions: [...video.renditions] };
  const presses = usePresses({ onPress: () => void play(card), onMenu: () => openPlaces(card) });
  return (
    <button type="button" className={styles.card} {...presses}>
      <Preview url={url} posterUrl={poster_url} failedText="" message={available ? null : message}>
        {available && storyboard && <CardStills sheet={storyboard} durationSeconds={duration} />}
        {available && duration !== null && <span className={styles.duration}>{clockText(duration)}</span>}
      </Preview>
      <bdi className={styles.name}>{title ?? filename}</bdi>
      <span className={styles.channels}>{tags.map(({ name }) => name).join(', ')}</span>
    </button>
  );
}
