import { useSnapshot } from 'valtio';
import { hasTouch } from '#app/platform/capabilities.ts';
import { smallWindows } from '#app/platform/later-capabilities.ts';
import { settings } from '#app/state/settings.ts';
import { QuadrantGlyph } from '#app/ui/badge.tsx';
import { quadrantNames } from '#app/ui/glyphs.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { quadrants } from '#contract/quadrants.ts';
import { acts, keyFor } from './feed-keys.ts';
import styles from './shortcuts-dialog.module.css';

const actNames: Record<(typeof acts)[number], string> = {
  'seek-back': 'Seek back',
  'seek-forward': 'Seek forward',
  mute: 'Mute',
  pin: 'Pin',
};

const touches: ReadonlyArray<readonly [touch: string, what: string]> = [
  ['Double tap left or right', 'Seek back, forward'],
  ['Double tap in the middle', 'Expand it, and back to the grid'],
  ['Swipe left, right', 'Skip, skip back'],
  ['Long press', 'Its menu'],
  ['Mute, held', 'Hear only this'],
];

/** Keys that are not listed per quadrant. */
const others: ReadonlyArray<readonly [keys: string, what: string]> = [
  ['Arrow keys', 'Choose a quadrant'],
  ['Enter', 'Go to its controls'],
  ['Enter, held', 'Expand it, and back to the grid'],
  ['Escape', 'Back'],
  ['Play/Pause', 'Pause it; held, pause all'],
  ['Next, Previous', 'Skip, skip back'],
  ['Shift + its mute key', 'Hear only this'],
  ['M', 'Mute all, and back'],
  ['H', 'Favourite, and back'],
  ['I', 'Statistics'],
  ...(smallWindows() ? [['O', 'Small window'] as const] : []),
  ['?', 'Shortcuts'],
  ...(hasTouch() ? touches : []),
];

/** The dialog that lists every key of the feed. */
export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { areShortcutsOn } = useSnapshot(settings);
  return (
    <Modal
      title="Shortcuts"
      {...(!areShortcutsOn && { sentence: 'Letters and digits are turned off in Profile.' })}
      onClose={onClose}
    >
      <table className={styles.keys}>
        <thead>
          <tr>
            <td />
            {acts.map((act) => (
              <th key={act} scope="col">
                {actNames[act]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {quadrants.map((quadrant) => (
            <tr key={quadrant}>
              <th scope="row">
                <QuadrantGlyph quadrant={quadrant} className={styles.glyph} />
                {quadrantNames[quadrant]}
              </th>
              {acts.map((act) => (
                <td key={act}>
                  <kbd className={styles.key}>{keyFor(quadrant, act)}</kbd>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <dl className={styles.others}>
        {others.map(([keys, what]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
