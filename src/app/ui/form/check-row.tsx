import { Check, Minus } from 'lucide-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { useEffect, useId, useRef } from 'react';
import { remoteKeyOf } from '#app/platform/input/remote-keys.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import styles from './check-row.module.css';

interface Props {
  label: string;
  isOn: boolean;
  /** The box represents several others of which some are on, such as 'select all'. */
  isMixed?: boolean;
  onChange: (isOn: boolean) => void;
  /** An explanation, on a line of its own. */
  hint?: string | undefined;
  /** Shown before the label, such as a swatch. */
  start?: ReactNode;
  /** Shown at the end of the row: a count or a state. */
  end?: ReactNode;
  /** Shows only the box, as in a table; screen readers get the label. */
  isLabelHidden?: boolean;
  isDisabled?: boolean;
}

/** A checkbox with its label; the whole row is the target. */
export function CheckRow({
  label,
  isOn,
  isMixed = false,
  onChange,
  hint,
  start,
  end,
  isLabelHidden = false,
  isDisabled = false,
}: Props) {
  const hintId = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.indeterminate = isMixed;
  }, [isMixed]);
  return (
    <label className={`${styles.row} ${isDisabled ? styles.off : ''} ${isLabelHidden ? styles.bare : ''}`}>
      <input
        ref={input}
        type="checkbox"
        className={styles.input}
        checked={isOn}
        disabled={isDisabled}
        aria-label={label}
        aria-describedby={hint && hintId}
        onKeyDown={pressByOk}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className={styles.box}>{isMixed ? <Minus aria-hidden="true" /> : <Check aria-hidden="true" />}</span>
      {!isLabelHidden && start}
      {!isLabelHidden && (
        <span className={styles.words}>
          {label}
          {hint && (
            <span id={hintId} className={styles.hint}>
              {hint}
            </span>
          )}
        </span>
      )}
      {(end || end === 0) && <span className={styles.end}>{end}</span>}
    </label>
  );
}

/** A remote has no space bar, and its OK would submit the form. */
function pressByOk(event: KeyboardEvent<HTMLInputElement>): void {
  if (currentForm() !== 'tv' || remoteKeyOf(event.nativeEvent) !== 'ok') return;
  event.preventDefault();
  event.currentTarget.click();
}
