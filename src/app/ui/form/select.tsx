import { Check, ChevronDown } from 'lucide-react';
import { useId, useState } from 'react';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { Modal } from '../modal.tsx';
import { useBackLayer } from '../store-hooks.ts';
import shared from './field.module.css';
import styles from './select.module.css';
import { FieldNote } from './text-field.tsx';

interface Option<Value extends string> {
  value: Value;
  label: string;
}

interface Props<Value extends string> {
  label: string;
  isLabelHidden?: boolean;
  options: readonly Option<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  isDisabled?: boolean;
  /** The reason why the value was refused. */
  problem?: string | null | undefined;
}

/**
 * A select: the native one, or on TVs a dialog, because a remote's OK does not open the native list
 * everywhere.
 */
export function Select<Value extends string>(props: Props<Value>) {
  const { label, isLabelHidden = false } = props;
  const id = useId();
  const Control = currentForm() === 'tv' ? DialogSelect<Value> : NativeSelect<Value>;
  return (
    <div>
      <label htmlFor={id} id={`${id}-label`} className={isLabelHidden ? 'visually-hidden' : shared.label}>
        {label}
      </label>
      <div className={shared.well}>
        <Control id={id} {...props} />
        <ChevronDown aria-hidden="true" />
      </div>
      <FieldNote id={noteIdOf(id)} problem={props.problem} />
    </div>
  );
}

const noteIdOf = (id: string) => `${id}-note`;

function NativeSelect<Value extends string>({
  id,
  options,
  value,
  onChange,
  isDisabled,
  problem,
}: Props<Value> & { id: string }) {
  return (
    <select
      id={id}
      className={`${styles.control} ${problem ? styles.refused : ''}`}
      value={value}
      disabled={isDisabled}
      aria-invalid={Boolean(problem)}
      aria-describedby={problem ? noteIdOf(id) : undefined}
      onChange={(event) => onChange(event.target.value as Value)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

function DialogSelect<Value extends string>({
  id,
  label,
  options,
  value,
  onChange,
  isDisabled,
  problem,
}: Props<Value> & { id: string }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const choose = (chosen: Value) => {
    onChange(chosen);
    close();
  };
  return (
    <>
      <button
        type="button"
        id={id}
        className={`${styles.control} ${problem ? styles.refused : ''}`}
        disabled={isDisabled}
        aria-haspopup="dialog"
        aria-labelledby={`${id}-label ${id}`}
        data-invalid={problem ? true : undefined}
        aria-describedby={problem ? noteIdOf(id) : undefined}
        onClick={() => setOpen(true)}
      >
        {options.find((option) => option.value === value)?.label}
      </button>
      {isOpen && <OptionsDialog title={label} options={options} value={value} onChoose={choose} onClose={close} />}
    </>
  );
}

interface OptionsDialogProps<Value extends string> {
  title: string;
  options: readonly { value: Value; label: string }[];
  /** The current value; null when there is none. */
  value: Value | null;
  onChoose: (value: Value) => void;
  onClose: () => void;
}

/** The options of a select as rows for a remote. The focus starts on the current one. */
export function OptionsDialog<Value extends string>({
  title,
  options,
  value,
  onChoose,
  onClose,
}: OptionsDialogProps<Value>) {
  useBackLayer(onClose);
  return (
    <Modal title={title} size="small" onClose={onClose}>
      <ul>
        {options.map((option) => (
          <li key={option.value}>
            <button
              type="button"
              className={styles.option}
              aria-pressed={option.value === value}
              data-focus-first={option.value === value || undefined}
              onClick={() => onChoose(option.value)}
            >
              <span className={styles.words}>{option.label}</span>
              {option.value === value && <Check aria-hidden="true" />}
            </button>
          </li>
        ))}
      </ul>
    </Modal>
  );
}
