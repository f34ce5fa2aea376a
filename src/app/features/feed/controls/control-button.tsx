import type { ReactNode, Ref } from 'react';
import styles from './control-button.module.css';

interface Props {
  /** The accessible name. */
  label: string;
  /** The tooltip, and on a TV the words above the focused button, where they say more than the name. */
  tip?: string | undefined;
  icon: ReactNode;
  onPress: () => void;
  /** The key that does the same. */
  hint?: string | undefined;
  /** In force, as a pin. */
  isOn?: boolean;
  /** Seen and reached, but without effect. */
  isOff?: boolean;
  isFirst?: boolean;
  className?: string | undefined;
  ref?: Ref<HTMLButtonElement>;
}

/** A button over a video. One without effect can still have the focus: its tooltip says why. */
export function ControlButton({
  label,
  tip = label,
  icon,
  onPress,
  hint,
  isOn = false,
  isOff = false,
  isFirst = false,
  className,
  ref,
}: Props) {
  return (
    <button
      ref={ref}
      type="button"
      className={[styles.tile, isOn ? styles.on : '', hint ? styles.hinted : '', className].join(' ')}
      aria-label={label}
      title={tip}
      data-tip={tip}
      aria-keyshortcuts={hint}
      aria-disabled={isOff || undefined}
      data-focus-first={isFirst || undefined}
      onClick={() => isOff || onPress()}
    >
      {icon}
      {hint && <span className={styles.hint} data-key={hint} />}
    </button>
  );
}
