import type { KeyboardEvent } from 'react';
import { useRef } from 'react';
import { currentForm } from '#app/platform/input/screen-form.ts';
import styles from './segmented.module.css';

interface Props<Value extends string> {
  label: string;
  /** Each is its own label. */
  values: readonly Value[];
  value: Value;
  onChange: (value: Value) => void;
}

const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * One of a few short values, all of them in sight. Arrows choose, as in any group of radio buttons; on TVs they move the
 * focus, as everywhere there, and OK chooses.
 */
export function Segmented<Value extends string>({ label, values, value, onChange }: Props<Value>) {
  const group = useRef<HTMLDivElement>(null);
  const isOnTv = currentForm() === 'tv';
  const choose = (at: number) => {
    const next = values[at];
    if (next !== undefined) onChange(next);
    group.current?.querySelectorAll('button')[at]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined || isOnTv) return;
    event.preventDefault();
    choose((values.indexOf(value) + step + values.length) % values.length);
  };
  return (
    <div ref={group} role="radiogroup" aria-label={label} className={styles.group} onKeyDown={onKeyDown}>
      {values.map((one) => (
        // biome-ignore lint/a11y/useSemanticElements: an input would be drawn apart from its segment, and the remote's focus goes by what is drawn
        <button
          key={one}
          type="button"
          role="radio"
          aria-checked={one === value}
          tabIndex={isOnTv || one === value ? 0 : -1}
          data-focus-first={one === value || undefined}
          className={styles.segment}
          onClick={() => onChange(one)}
        >
          {one}
        </button>
      ))}
    </div>
  );
}
