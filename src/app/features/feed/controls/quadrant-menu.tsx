import { Check, Volume2 } from 'lucide-react';
import type { CSSProperties, KeyboardEvent, ReactNode } from 'react';
import { Suspense, useEffect, useId, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { canSetVolume } from '#app/platform/capabilities.ts';
import { holdFocus } from '#app/platform/input/focus-scopes.ts';
import { remoteKeyOf } from '#app/platform/input/remote-keys.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { playerFacts } from '#app/playback/player/player.ts';
import { may } from '#app/state/may.ts';
import { openDialog } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { changeSettings, settings } from '#app/state/settings.ts';
import { requestVideoAct } from '#app/state/video-acts.ts';
import { openDetails } from '#app/state/view-requests.ts';
import { Range } from '#app/ui/form/range.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import type { ListFace } from '#app/ui/list/list-state.ts';
import { lazyPart, SquaresLoader } from '#app/ui/loading.tsx';
import { useBackLayer } from '#app/ui/modal.tsx';
import { QuadrantGlyph, quadrantNames } from '#app/ui/quadrant.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import { useDerived } from '#app/ui/store-hooks.ts';
import type { SubtitleList } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { expand, feed } from '../feed-state.ts';
import { canMove, move } from '../quadrant/move.ts';
import { setSpeed, setVolume } from '../quadrant/player-actions.ts';
import type { FeedVideo } from '../quadrant/quadrant.ts';
import { areAllPaused, setAllPaused } from '../quadrant/quadrant-machine.ts';
import { hearOnly, toggleMuteAll } from '../quadrant/sound.ts';
import { chosenTracks, languageState, subtitleLanguage, trackOf } from '../subtitles/chosen-tracks.ts';
import { chooseSubtitles, isProcessing, unsupportedWords, useSubtitleList } from '../subtitles/subtitle-tracks.ts';
import { removeFromFeed } from '../supply/hidden-videos.ts';
import { closeQuadrantMenu } from './controls-store.ts';
import styles from './quadrant-menu.module.css';

/** If the file does not load, the video cannot be kept now. */
const KeepEntry = lazyPart(
  async () => (await import('./keep-entry.tsx')).KeepEntry,
  () => null,
);

const KeepFilterEntry = lazyPart(
  async () => (await import('./keep-entry.tsx')).KeepFilterEntry,
  () => null,
);

const FavouriteEntry = lazyPart(
  async () => (await import('./favourite-entry.tsx')).FavouriteEntry,
  () => null,
);

type Shown =
  | { is: 'entries'; cameFrom?: Submenu }
  /** The menu in place of the entries. */
  | { is: 'subtitles'; video: FeedVideo }
  | { is: 'speed' };

type Submenu = 'subtitles' | 'speed';

/** The menu of one quadrant. Choosing an entry closes it, and so does a press outside. */
export function QuadrantMenu({ quadrant }: { quadrant: Quadrant }) {
  const [shown, show] = useState<Shown>({ is: 'entries' });
  if (shown.is === 'entries') return <Entries quadrant={quadrant} cameFrom={shown.cameFrom} show={show} />;
  const goBack = () => show({ is: 'entries', cameFrom: shown.is });
  return shown.is === 'speed' ? (
    <SpeedMenu quadrant={quadrant} onBack={goBack} />
  ) : (
    <SubtitleMenu quadrant={quadrant} video={shown.video} onBack={goBack} />
  );
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

interface MenuPanelProps {
  quadrant: Quadrant;
  title: string;
  children: ReactNode;
}

/** A menu over its quadrant; on a phone it opens from below. A press outside closes it. */
function MenuPanel({ quadrant, title, children }: MenuPanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const titleId = useId();
  useEffect(() => (panel.current ? holdFocus(panel.current) : undefined), []);
  return (
    <>
      <div
        className={styles.outside}
        onClick={closeQuadrantMenu}
        onContextMenu={(event) => event.preventDefault()}
        aria-hidden="true"
      />
      <div
        ref={panel}
        className={styles.menu}
        role="dialog"
        aria-modal="true"
        aria-labelledby={titleId}
        data-of={quadrant}
        data-arrows
        data-focus-wrap
        onKeyDown={stayInside}
      >
        <h2 id={titleId} className={styles.title}>
          <QuadrantGlyph quadrant={quadrant} className={styles.glyph} />
          {title}
        </h2>
        {children}
      </div>
    </>
  );
}

/**
 * Left and right do nothing in the column except on a slider; the key that opened the menu closes
 * it.
 */
function stayInside(event: KeyboardEvent): void {
  const key = remoteKeyOf(event.nativeEvent);
  if (key === 'menu') closeQuadrantMenu();
  const isAside = (key === 'left' || key === 'right') && !(event.target instanceof HTMLInputElement);
  if (key === 'menu' || isAside) event.preventDefault();
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

/** The speeds of a quadrant. A choice closes the menu. */
function SpeedMenu({ quadrant, onBack }: { quadrant: Quadrant; onBack: () => void }) {
  useBackLayer(onBack);
  const chosen = useSnapshot(playerFacts[quadrant]).speed;
  const choose = (speed: number) => {
    closeQuadrantMenu();
    setSpeed(quadrant, speed);
  };
  return (
    <MenuPanel quadrant={quadrant} title={`Speed, ${quadrantNames[quadrant].toLowerCase()}`}>
      <div role="radiogroup" aria-label="Speed">
        {limits.playbackSpeeds.map((speed) => (
          <Choice key={speed} label={speedText(speed)} isChosen={speed === chosen} onChoose={() => choose(speed)} />
        ))}
      </div>
    </MenuPanel>
  );
}

function speedText(speed: number): string {
  return speed === 1 ? 'Normal' : `${speed}×`;
}

interface SubtitleMenuProps {
  quadrant: Quadrant;
  video: Pick<FeedVideo, 'id'>;
  /** Returns to the menu that opened this one. */
  onBack: () => void;
}

/** The subtitles of a video, and Off. A choice closes the menu. */
function SubtitleMenu({ quadrant, video, onBack }: SubtitleMenuProps) {
  useBackLayer(onBack);
  const list = useSubtitleList(video.id);
  const state = useSnapshot(list.state) as typeof list.state;
  const language = subtitleLanguage(useSnapshot(session), useSnapshot(languageState));
  const tracks = state.value?.tracks ?? [];
  const shown = trackOf(tracks, video.id, language, useSnapshot(chosenTracks));
  const unsupported = unsupportedWords(state.value?.unsupported ?? []);
  const choose = (track: (typeof tracks)[number] | null) => {
    closeQuadrantMenu();
    chooseSubtitles(video.id, track);
  };
  return (
    <MenuPanel quadrant={quadrant} title={`Subtitles, ${quadrantNames[quadrant].toLowerCase()}`}>
      <div role="radiogroup" aria-label="Subtitles">
        <Choice label="Off" isChosen={shown === null} onChoose={() => choose(null)} />
        {tracks.map((track) => (
          <Choice key={track.url} label={track.label} isChosen={track === shown} onChoose={() => choose(track)} />
        ))}
      </div>
      <ListBody
        face={faceOf(state, tracks.length)}
        failure={state.failure}
        onRetry={() => void list.reload()}
        skeleton={<SquaresLoader className={styles.loader} />}
        empty={<p className={styles.note}>No subtitles</p>}
      >
        {null}
      </ListBody>
      {unsupported !== null && <p className={styles.note}>{unsupported}</p>}
    </MenuPanel>
  );
}

function faceOf(state: Parameters<typeof resourceFace>[0] & { value: SubtitleList | null }, count: number): ListFace {
  if (state.value !== null && isProcessing(state.value)) return 'loading';
  return state.value !== null && count === 0 ? 'empty' : resourceFace(state);
}

interface ChoiceProps {
  label: string;
  isChosen: boolean;
  onChoose: () => void;
}

function Choice({ label, isChosen, onChoose }: ChoiceProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: arrows move the focus to radio inputs and choose them at once
    <button
      type="button"
      role="radio"
      aria-checked={isChosen}
      className={styles.entry}
      data-focus-first={isChosen || undefined}
      onClick={onChoose}
    >
      <span className={styles.mark}>{isChosen && <Check aria-hidden="true" />}</span>
      {label}
    </button>
  );
}
