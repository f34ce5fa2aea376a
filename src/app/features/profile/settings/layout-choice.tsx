import { useSnapshot } from 'valtio';
import type { ScreenLayout } from '#app/state/settings.ts';
import { changeSettings, settings } from '#app/state/settings.ts';
import styles from './layout-choice.module.css';

const layouts: ReadonlyArray<{ layout: ScreenLayout; label: string }> = [
  { layout: 'automatic', label: 'Automatic' },
  { layout: 'phone', label: 'Phone' },
  { layout: 'tablet', label: 'Tablet' },
  { layout: 'desktop', label: 'Desktop' },
  { layout: 'tv', label: 'TV' },
];

/** The app's layout on this device; applied at once. */
export function LayoutChoice() {
  const { screenLayout } = useSnapshot(settings);
  return (
    <fieldset className={styles.choice}>
      <legend className={styles.label}>Screen layout</legend>
      <div className={styles.options}>
        {layouts.map(({ layout, label }) => (
          <button
            key={layout}
            type="button"
            className={styles.option}
            aria-pressed={layout === screenLayout}
            onClick={() => changeSettings({ screenLayout: layout })}
          >
            {label}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
