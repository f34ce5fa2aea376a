import { useSnapshot } from 'valtio';
import { settings } from '#app/state/settings.ts';
import { Swatch } from '#app/ui/card/swatch.tsx';
import { Modal } from '#app/ui/overlay/modal.tsx';
import { useBackLayer } from '#app/ui/overlay/use-back-layer.ts';
import { showHelp } from '../tagging-store.ts';
import styles from './keys-dialog.module.css';
import { mostUsed } from './most-used.ts';

const close = () => showHelp(false);

const keys: ReadonlyArray<readonly [key: string, what: string]> = [
  ['Arrow keys', 'Choose a card'],
  ['Enter', 'Show its tags'],
  ['Shift and arrow keys', 'Select several'],
  ['X', 'Select, or no longer'],
  ['N', 'Next untagged video'],
  ['U', 'Undo'],
  ['Play', 'Play the video'],
  ['?', 'Shortcuts'],
];

/** Every key of the screen, and which tags the digits stand for. */
export function KeysDialog() {
  useBackLayer(close);
  const { areShortcutsOn } = useSnapshot(settings);
  const { tags } = useSnapshot(mostUsed);
  return (
    <Modal
      title="Shortcuts"
      {...(!areShortcutsOn && { sentence: 'Letters and digits are turned off in Profile.' })}
      onClose={close}
    >
      <dl>
        {keys.map(([key, what]) => (
          <div key={key} className={styles.row}>
            <dt className={styles.key}>{key}</dt>
            <dd className={styles.what}>{what}</dd>
          </div>
        ))}
      </dl>
      {tags.length > 0 && (
        <>
          <h3 className={styles.heading}>Add or remove the most used tags</h3>
          <dl>
            {tags.map(({ id, name, color }, at) => (
              <div key={id} className={styles.row}>
                <dt className={styles.key}>{at + 1}</dt>
                <dd className={styles.what}>
                  <Swatch color={color} />
                  <bdi>{name}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Modal>
  );
}
