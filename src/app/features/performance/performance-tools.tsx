import { useSnapshot } from 'valtio';
import { Segmented } from '#app/ui/form/segmented.tsx';
import { Select } from '#app/ui/form/select.tsx';
import { quadrantNames } from '#app/ui/quadrant/quadrant-names.ts';
import { quadrants } from '#contract/quadrants.ts';
import { timeWindows } from '#contract/rules/health.ts';
import type { QuadrantChoice } from './performance-store.ts';
import { chooseQuadrant, chooseWindow, dashboard } from './performance-store.ts';
import styles from './performance-tools.module.css';
import { allQuadrants } from './performance-words.ts';

const choices: readonly { value: QuadrantChoice; label: string }[] = [
  { value: 'all', label: allQuadrants },
  ...quadrants.map((value) => ({ value, label: quadrantNames[value] })),
];

/** How far back, and of which quadrant. */
export function PerformanceTools() {
  const { window, quadrant } = useSnapshot(dashboard);
  return (
    <div className={styles.tools}>
      <Segmented label="Time window" values={timeWindows} value={window} onChange={chooseWindow} />
      <div className={styles.quadrant}>
        <Select label="Quadrant" isLabelHidden options={choices} value={quadrant} onChange={chooseQuadrant} />
      </div>
    </div>
  );
}
