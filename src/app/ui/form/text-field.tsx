import type { InputHTMLAttributes, ReactNode, Ref } from 'react';
import { useId } from 'react';
import shared from './field.module.css';
import { FieldNote } from './field-note.tsx';
import styles from './text-field.module.css';

type InputProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  | 'type'
  | 'name'
  | 'autoComplete'
  | 'inputMode'
  | 'autoCapitalize'
  | 'enterKeyHint'
  | 'maxLength'
  | 'placeholder'
  | 'readOnly'
>;

export interface TextFieldProps extends InputProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Why the value was refused. */
  problem?: string | null | undefined;
  /** Only screen readers get the label: the placeholder or the icon says the same. */
  isLabelHidden?: boolean;
  /** Helps to fill it in. */
  hint?: string | undefined;
  /** Shown in the label; required fields are not marked. */
  isOptional?: boolean;
  isDisabled?: boolean;
  ref?: Ref<HTMLInputElement>;
  /** An icon inside the field, before the text. */
  start?: ReactNode;
  /** A button inside the field, at its end. */
  end?: ReactNode;
}

/** A label above a field, and below it the problem or the hint. */
export function TextField(props: TextFieldProps) {
  const {
    label,
    isLabelHidden = false,
    value,
    onChange,
    problem,
    hint,
    isOptional = false,
    isDisabled = false,
    ref,
    start,
    end,
    ...input
  } = props;
  const id = useId();
  const noteId = `${id}-note`;
  const hasNote = Boolean(problem || hint);
  return (
    <div>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : shared.label}>
        {label}
        {isOptional && <span className={styles.optional}> (optional)</span>}
      </label>
      <div className={shared.well}>
        {start && <span className={styles.start}>{start}</span>}
        <input
          {...input}
          ref={ref}
          id={id}
          className={`${styles.input} ${problem ? styles.refused : ''} ${start ? styles.indented : ''} ${end ? styles.shortened : ''}`}
          value={value}
          disabled={isDisabled}
          aria-invalid={Boolean(problem)}
          aria-describedby={hasNote ? noteId : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
        {end}
      </div>
      <FieldNote id={noteId} problem={problem} hint={hint} />
    </div>
  );
}
