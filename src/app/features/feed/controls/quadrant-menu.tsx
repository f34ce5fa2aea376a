import { Volume2 } from 'lucide-react';
import type { CSSProperties } from 'react';
import { Suspense, useState } from 'react';
import { useSnapshot } from 'valtio';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { canSetVolume } from '#app/platform/later-capabilities.ts';
import { playerFacts } from '#app/playback/player/player.ts';
import { may } from '#app/state/may.ts';
import { openDialog } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { changeSettings, settings } from '#app/state/settings.ts';
import { openDetails, requestVideoAct } from '#app/state/view-requests.ts';
import { QuadrantGlyph } from '#app/ui/badge.tsx';
import { Range } from '#app/ui/form/range.tsx';
import { quadrantNames } from '#app/ui/glyphs.tsx';
import { lazyPart } from '#app/ui/loading.tsx';
import { useDerived } from '#app/ui/store-hooks.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { expand, feed } from '../feed-state.ts';
import { canMove, move } from '../quadrant/move.ts';
import { setVolume } from '../quadrant/player-actions.ts';
import type { FeedVideo } from '../quadrant/quadrant.ts';
import { isSaved } from '../quadrant/quadrant.ts';
import { areAllPaused, setAllPaused } from '../quadrant/quadrant-machine.ts';
import { hearOnly, toggleMuteAll } from '../quadrant/sound.ts';
import { useSubtitleList } from '../subtitles/subtitle-tracks.ts';
import { removeFromFeed } from '../supply/hidden-videos.ts';
import { closeQuadrantMenu } from './controls-store.ts';
import styles from './quadrant-menu.module.css';
import { AudioMenu, MenuPanel, SpeedMenu, SubtitleMenu, speedText } from './quadrant-submenus.tsx';

/** If the file does not load, the video cannot be kept now. */
const KeepEntry = lazyPart(
  async () => (await import('./video-entries.tsx')).KeepEntry,
  () => null,
);

const KeepFilterEntry = lazyPart(
  async () => (await import('./video-entries.tsx')).KeepFilterEntry,
  () => null,
);

const FavouriteEntry = lazyPart(
  async () => (await import('./video-entries.tsx')).FavouriteEntry,
  () => null,
);

type Shown =
  | { is: 'entries'; cameFrom?: Submenu }
  /** The menu in place of the entries. */
  | { is: 'subtitles' | 'audio'; video: FeedVideo }
  | { is: 'speed' };

type Submenu = 'subtitles' | 'audio' | 'speed';

/** The menu of one quadrant. Choosing an entry closes it, and so does a press outside. */
export function QuadrantMenu({ quadrant }: { quadrant: Quadrant }) {
  const [video] = useState(() => feed.quadrants[quadrant].shown);
  return (
    <>
      {video && !isSaved(video) && <HeldTracks videoId={video.id} />}
      <ShownMenu quadrant={quadrant} />
    </>
  );
}

/** Holds the list of tracks while the menu and its submenus take turns. */
function HeldTracks({ videoId }: { videoId: string }) {
  useSubtitleList(videoId);
  return null;
}

function ShownMenu({ quadrant }: { quadrant: Quadrant }) {
  const [shown, show] = useState<Shown>({ is: 'entries' });
  if (shown.is === 'entries') return <Entries quadrant={quadrant} cameFrom={shown.cameFrom} show={show} />;
  const goBack = () => show({ is: 'entries', cameFrom: shown.is });
  switch (shown.is) {
    case 'speed':
      return <SpeedMenu quadrant={quadrant} onBack={goBack} />;
    case 'subtitles':
      return <SubtitleMenu quadrant={quadrant} video={shown.video} onBack={goBack} />;
    case 'audio':
      return <AudioMenu quadrant={quadrant} video={shown.video} onBack={goBack} />;
  }
}

interface EntriesProps {
  quadrant: Quadrant;
  /** The submenu that was left: its entry gets the focus again. */
  cameFrom: Submenu | undefined;
  show: (shown: Shown) => void;
}

function Entries({ quadrant, cameFrom, show }: EntriesProps) {
  const snapshot = useSnapshot(feed);
  const others = quadrants.filter((other) => other !== quadrant);
  const isAllPaused = areAllPaused(snapshot.quadrants);
  const isWhole = useSnapshot(settings).pictureFit === 'whole';
  const { shown: video, filter } = snapshot.quadrants[quadrant];
  const mayHide = may('admin_panel', useSnapshot(session));

  return (
    <MenuPanel quadrant={quadrant} title={quadrantNames[quadrant]}>
      {canMove(snapshot) &&
        others.map((other) => (
          <Entry
            key={other}
            label={`Move to ${quadrantNames[other].toLowerCase()}`}
            glyph={other}
            onPress={() => move(quadrant, other)}
          />
        ))}
      {snapshot.expanded === null && (
        <Entry label="Expand" className={styles.expand} onPress={() => expand(quadrant)} />
      )}
      <MenuVolume quadrant={quadrant} />
      <SoundEntries quadrant={quadrant} />
      <SpeedEntry quadrant={quadrant} isFirst={cameFrom === 'speed'} onPress={() => show({ is: 'speed' })} />
      {video && (
        <Entry
          label="Subtitles"
          staysOpen
          isFirst={cameFrom === 'subtitles'}
          onPress={() => show({ is: 'subtitles', video })}
        />
      )}
      {video && !isSaved(video) && (
        <AudioEntry
          videoId={video.id}
          isFirst={cameFrom === 'audio'}
          onPress={() => show({ is: 'audio', video: video as FeedVideo })}
        />
      )}
      {video && <Entry label="Details" onPress={() => openDetails(video.id)} />}
      {video && (
        <Suspense fallback={null}>
          <FavouriteEntry quadrant={quadrant} video={video} />
          <KeepEntry video={video as FeedVideo} />
          {filter && <KeepFilterEntry filter={filter} />}
        </Suspense>
      )}
      {video && <Entry label="Report" onPress={() => requestVideoAct({ kind: 'report', video })} />}
      {mayHide && video && <Entry label="Hide video" onPress={() => hide(video)} />}
      <Entry
        label={isWhole ? 'Fill' : 'Whole picture'}
        onPress={() => changeSettings({ pictureFit: isWhole ? 'fill' : 'whole' })}
      />
      <Entry label={isAllPaused ? 'Play all' : 'Pause all'} onPress={() => setAllPaused(!isAllPaused)} />
      <Entry label="Shortcuts" className={styles.keys} onPress={() => openDialog('shortcuts')} />
    </MenuPanel>
  );
}

/**
 * Replaces the video at once in this browser; other browsers replace it when they learn of the
 * change.
 */
function hide({ id, title }: Pick<FeedVideo, 'id' | 'title'>): void {
  requestVideoAct({ kind: 'hide', video: { id, title }, onHidden: () => removeFromFeed([id]) });
}

interface EntryProps {
  label: string;
  glyph?: Quadrant;
  className?: string | undefined;
  /** The entry opens a dialog or submenu in the menu's place. */
  staysOpen?: boolean;
  /** The entry that is focused first. */
  isFirst?: boolean;
  onPress: () => void;
}

function Entry({ label, glyph, className, staysOpen = false, isFirst = false, onPress }: EntryProps) {
  const choose = () => {
    if (!staysOpen) closeQuadrantMenu();
    onPress();
  };
  return (
    <button
      type="button"
      className={`${styles.entry} ${className ?? ''}`}
      data-focus-first={isFirst || undefined}
      onClick={choose}
    >
      <span className={styles.mark}>{glyph && <QuadrantGlyph quadrant={glyph} />}</span>
      {label}
    </button>
  );
}

/**
 * The volume slider, where the row of controls has no room for it and the system lets a page set
 * the volume.
 */
function MenuVolume({ quadrant }: { quadrant: Quadrant }) {
  const { volume } = useSnapshot(playerFacts[quadrant]);
  if (!may('video_controls', useSnapshot(session)) || !canSetVolume()) return null;
  return (
    <div className={styles.volume}>
      <span className={styles.menuVolumeMark}>
        <Volume2 aria-hidden="true" />
      </span>
      <Range
        className={styles.range}
        aria-label="Volume"
        min={limits.volumeMin}
        max={limits.volumeMax}
        step={limits.volumeStep}
        value={volume}
        style={{ '--at': volume / limits.volumeMax } as CSSProperties}
        onChange={(event) => setVolume(quadrant, Number(event.target.value))}
      />
    </div>
  );
}

function SoundEntries({ quadrant }: { quadrant: Quadrant }) {
  const isAnyHeard = useDerived(playerFacts, () => quadrants.some((other) => !playerFacts[other].isMuted));
  if (!may('video_controls', useSnapshot(session))) return null;
  return (
    <>
      <Entry label="Hear only this" onPress={() => hearOnly(quadrant)} />
      {isAnyHeard && <Entry label="Mute all" onPress={toggleMuteAll} />}
    </>
  );
}

/** Only a file with several audio tracks has the entry. */
function AudioEntry({ videoId, ...entry }: { videoId: string; isFirst: boolean; onPress: () => void }) {
  const { state } = useSubtitleList(videoId);
  const hasSeveral = (useSnapshot(state).value?.audio_tracks.length ?? 0) > 1;
  if (!may('video_controls', useSnapshot(session)) || !hasSeveral) return null;
  return <Entry label="Audio" staysOpen {...entry} />;
}

interface SpeedEntryProps {
  quadrant: Quadrant;
  isFirst: boolean;
  onPress: () => void;
}

/** TVs have no other speed: few of them decode one without dropping frames or sound. */
function SpeedEntry({ quadrant, isFirst, onPress }: SpeedEntryProps) {
  const { speed } = useSnapshot(playerFacts[quadrant]);
  if (!may('video_controls', useSnapshot(session)) || currentForm() === 'tv') return null;
  return <Entry label={`Speed: ${speedText(speed)}`} staysOpen isFirst={isFirst} onPress={onPress} />;
}
