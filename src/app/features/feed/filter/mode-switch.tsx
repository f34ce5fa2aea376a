import { useSnapshot } from 'valtio';
import type { FilterMode } from '#contract/rules/tags/tag-filter.ts';
import { filterModes } from '#contract/rules/tags/tag-filter.ts';
import { choice, chooseMode } from './filter-choice.ts';
import styles from './mode-switch.module.css';

const words: Record<FilterMode, string> = { OR: 'Any channel', AND: 'All channels' };

/** Whether a video has any of the channels, or all of them. Keys and remotes start here. */
export function ModeSwitch() {
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
