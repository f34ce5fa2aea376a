import { useEffect, useId, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { holdFocus } from '#app/platform/focus/focus-scopes.ts';
import { Button } from '#app/ui/button.tsx';
import { SearchField } from '#app/ui/form/search-field.tsx';
import { QuadrantGlyph } from '#app/ui/quadrant/quadrant-glyph.tsx';
import type { Quadrant } from '#contract/quadrants.ts';
import { checkFilterSize } from '#contract/rules/tags/tag-lists.ts';
import { closeQuadrantMenu } from '../menu/quadrant-menu-store.ts';
import { feed } from '../quadrant/feed-state.ts';
import { useDerived } from '../view/derived-hook.ts';
import { ChannelRows } from './channel-rows.tsx';
import { applyChoice, channelList, choice, clearChoice, openChoice } from './filter-choice.ts';
import styles from './filter-panel.module.css';
import { ModeSwitch } from './mode-switch.tsx';
import { useSheetDrag } from './sheet-drag.ts';

/** What a quadrant draws from: beside its button, on a phone from below, on a TV over the other column. */
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
          <SearchField
            label="Search channels..."
            value={search}
            onChange={(value) => channelList.typeSearch(value)}
            onApply={() => channelList.applySearch()}
            onClear={() => channelList.clearSearch()}
          />
          <ModeSwitch />
          <div className={styles.list}>
            <ChannelRows />
          </div>
          <Foot quadrant={quadrant} />
        </div>
      </div>
    </>
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
