import { Check } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { useId } from 'react';
import { remoteKeyOf } from '#app/platform/input/remote-keys.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import styles from './check-row.module.css';

interface Props {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  /** What it does, in a line of its own. */
  hint?: string | undefined;
  isDisabled?: boolean;
}

/** A box with its words; the whole row is the target. */
export function CheckRow({ label, isOn, onChange, hint, isDisabled = false }: Props) {
  const hintId = useId();
  return (
    <label className={`${styles.row} ${isDisabled ? styles.off : ''}`}>
      <input
        type="checkbox"
        className={styles.input}
        checked={isOn}
        disabled={isDisabled}
        aria-label={label}
        aria-describedby={hint && hintId}
        onKeyDown={pressByOk}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className={styles.box}>
        <Check aria-hidden="true" />
      </span>
      <span className={styles.words}>
        {label}
        {hint && (
          <span id={hintId} className={styles.hint}>
            {hint}
          </span>
        )}
      </span>
    </label>
  );
}

/** A remote has no space bar, and its OK would send the form. */
function pressByOk(event: KeyboardEvent<HTMLInputElement>): void {
  if (currentForm() !== 'tv' || remoteKeyOf(event.nativeEvent) !== 'ok') return;
  event.preventDefault();
  event.currentTarget.click();
}
