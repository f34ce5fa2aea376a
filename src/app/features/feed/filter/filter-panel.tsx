import { Heart } from 'lucide-react';
import type { RefObject } from 'react';
import { useEffect, useId, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { matches } from '#app/platform/capabilities.ts';
import { holdFocus } from '#app/platform/input/focus-scopes.ts';
import { useDragDown } from '#app/platform/input/gestures.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { session } from '#app/state/session.ts';
import { lengths, setLabels, shapes } from '#app/state/video-sets.ts';
import { QuadrantGlyph, Swatch } from '#app/ui/badge.tsx';
import { Button } from '#app/ui/button.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { SearchField } from '#app/ui/form/text-field.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { SquaresLoader } from '#app/ui/loading.tsx';
import { useDerived } from '#app/ui/store-hooks.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { FilterMode, VideoSet } from '#contract/rules/tag-filter.ts';
import { checkFilterSize, filterModes } from '#contract/rules/tag-filter.ts';
import { closeQuadrantMenu } from '../controls/controls-store.ts';
import { feed } from '../feed-state.ts';
import { RoundLines } from '../rounds.tsx';
import {
  applyChoice,
  channelList,
  channelRowsOf,
  choice,
  chooseMode,
  clearChoice,
  openChoice,
  toggleFilterChannel,
  toggleFilterSet,
} from './filter-choice.ts';
import styles from './filter-panel.module.css';

/**
 * The filter of a quadrant. It opens next to its button, on a phone from below, on a TV over the
 * other column.
 */
export function FilterPanel({ quadrant }: { quadrant: Quadrant }) {
  const isExpanded = useDerived(feed, () => feed.expanded === quadrant);
  const { search } = useSnapshot(channelList.state, { sync: true });
  const panel = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const titleId = useId();
  useSheetDrag(head, panel, closeQuadrantMenu);
  useEffect(() => openChoice(quadrant), [quadrant]);
  useEffect(() => (panel.current ? holdFocus(panel.current) : undefined), []);
  return (
    <>
      <div
        className={styles.outside}
        onClick={closeQuadrantMenu}
        onContextMenu={(event) => event.preventDefault()}
        aria-hidden="true"
      />
      <div className={styles.place} data-of={quadrant} data-whole={isExpanded}>
        <div ref={panel} className={styles.panel} role="dialog" aria-modal="true" aria-labelledby={titleId} data-arrows>
          <div ref={head} className={styles.grip}>
            <div className={styles.head}>
              <QuadrantGlyph quadrant={quadrant} className={styles.glyph} />
              <h2 id={titleId} className={styles.title}>
                Filter Content
              </h2>
              <Button label="Clear All" kind="quiet" onPress={() => clearChoice(quadrant)} />
            </div>
          </div>
          <Sets />
          <SearchField
            label="Search channels..."
            value={search}
            onChange={(value) => channelList.typeSearch(value)}
            onApply={() => channelList.applySearch()}
            onClear={() => channelList.clearSearch()}
          />
          <ModeSwitch />
          <RoundLines of={[quadrant]} />
          <div className={styles.list}>
            <ChannelRows />
          </div>
          <Foot quadrant={quadrant} />
        </div>
      </div>
    </>
  );
}

/** The sets that limit a quadrant, whatever its channels: favourites, a shape and a length. */
function Sets() {
  const { user } = useSnapshot(session);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a border and a legend of its own
    <div className={styles.sets} role="group" aria-label="Favourites, shape and length">
      {user && <SetChoices sets={['is:favourite']} />}
      <SetChoices sets={shapes} />
      <SetChoices sets={lengths} />
    </div>
  );
}

function SetChoices({ sets }: { sets: readonly VideoSet[] }) {
  const { selected } = useSnapshot(choice);
  return (
    <div className={styles.setGroup}>
      {sets.map((set) => (
        <button
          key={set}
          type="button"
          className={styles.set}
          aria-pressed={selected.some(({ id }) => id === set)}
          onClick={() => toggleFilterSet(set)}
        >
          {set === 'is:favourite' && <Heart aria-hidden="true" />}
          {setLabels[set].name}
        </button>
      ))}
    </div>
  );
}

function Foot({ quadrant }: { quadrant: Quadrant }) {
  const { selected, isApplying } = useSnapshot(choice);
  const problem = checkFilterSize(selected.map(({ id }) => id));
  return (
    <div className={styles.foot}>
      {problem && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
      <Button label="Cancel" kind="line" isBlock onPress={closeQuadrantMenu} />
      <Button
        label={isApplying ? 'Applying...' : `Apply (${selected.length})`}
        isBlock
        isDisabled={selected.length === 0 || problem !== null || isApplying}
        onPress={() => void applyChoice(quadrant)}
      />
    </div>
  );
}

/**
 * The channels with their checkboxes, or the reason why there are none. Chosen ones can be cleared
 * even when the list fails to load.
 */
function ChannelRows() {
  const state = useSnapshot(channelList.state);
  const { first, selected } = useSnapshot(choice);
  const rows = channelRowsOf(first, state.items, state.search);
  const face = faceOf({ ...state, items: rows });
  return (
    <ListBody
      face={face}
      failure={state.failure}
      cachedAt={state.cachedAt}
      onRetry={() => void channelList.reload()}
      skeleton={<SquaresLoader className={styles.loader} />}
      empty={
        <p className={styles.empty}>
          {state.search.trim() === '' ? 'No channels available' : 'No channels match your search'}
        </p>
      }
    >
      {rows.map((row) => (
        <CheckRow
          key={row.id}
          label={row.name}
          isOn={selected.some(({ id }) => id === row.id)}
          onChange={() => toggleFilterChannel(row)}
          start={<Swatch color={row.color} />}
          end={'video_count' in row ? row.video_count.toLocaleString() : undefined}
        />
      ))}
    </ListBody>
  );
}

const words: Record<FilterMode, string> = { OR: 'Any channel', AND: 'All channels' };

/**
 * Selects whether a video must have any or all of the channels. Key and remote focus starts here.
 */
function ModeSwitch() {
  const { filterMode } = useSnapshot(choice);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a border and a legend of its own
    <div className={styles.modes} role="group" aria-label="Match">
      {filterModes.map((mode) => (
        <button
          key={mode}
          type="button"
          className={styles.mode}
          aria-pressed={mode === filterMode}
          data-focus-first={mode === filterMode || undefined}
          onClick={() => chooseMode(mode)}
        >
          {words[mode]}
        </button>
      ))}
    </div>
  );
}

/** A sheet closes when it is dragged down by more than this share of its height. */
const closingPart = 1 / 3;

/**
 * Lets a sheet follow a downward drag of its head, and closes it; after a short drag it stays open.
 */
function useSheetDrag(
  head: RefObject<HTMLElement | null>,
  panel: RefObject<HTMLElement | null>,
  onClose: () => void,
): void {
  const place = (distance: number | null) => {
    if (!panel.current) return;
    panel.current.style.transition = distance === null ? '' : 'none';
    panel.current.style.transform = distance === null ? '' : `translateY(${distance}px)`;
  };
  useDragDown(head, {
    onMove: (distance) => isSheet() && place(distance),
    onDrop: (distance, isFlung) => {
      const height = panel.current?.offsetHeight ?? 0;
      if (isSheet() && (isFlung || distance > height * closingPart)) onClose();
      else place(null);
    },
    onCancel: () => place(null),
  });
}

/** Must match the media query of the style sheet. */
function isSheet(): boolean {
  return currentForm() !== 'tv' && matches('(max-width: 899px)');
}
