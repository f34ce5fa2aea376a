import { CircleAlert, Eye, EyeOff, Search, X } from 'lucide-react';
import type { FormEvent, InputHTMLAttributes, ReactNode, Ref } from 'react';
import { useId, useRef, useState } from 'react';
import { limits } from '#contract/limits.ts';
import { IconButton } from '../button.tsx';
import shared from './field.module.css';
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

interface TextFieldProps extends InputProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** The reason why the value was refused. */
  problem?: string | null | undefined;
  /** The label is for screen readers only, because the placeholder or the icon says the same. */
  isLabelHidden?: boolean;
  /** An explanation below the field. */
  hint?: string | undefined;
  /** Adds '(optional)' to the label; required fields are not marked. */
  isOptional?: boolean;
  isDisabled?: boolean;
  ref?: Ref<HTMLInputElement>;
  /** An icon inside the field, before the text. */
  start?: ReactNode;
  /** A button inside the field, at its end. */
  end?: ReactNode;
}

/** A field with its label above, and the problem or the hint below. */
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

/** A field for text of several lines. */
export function TextArea({
  label,
  value,
  onChange,
  problem,
  hint,
  isDisabled = false,
}: Pick<TextFieldProps, 'label' | 'value' | 'onChange' | 'problem' | 'hint' | 'isDisabled'>) {
  const id = useId();
  const noteId = `${id}-note`;
  return (
    <div>
      <label htmlFor={id} className={shared.label}>
        {label}
      </label>
      <textarea
        id={id}
        className={styles.area}
        rows={6}
        value={value}
        disabled={isDisabled}
        aria-invalid={Boolean(problem)}
        aria-describedby={problem || hint ? noteId : undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      <FieldNote id={noteId} problem={problem} hint={hint} />
    </div>
  );
}

/**
 * Hides the typed text until the eye button is pressed. `autoComplete` tells password managers
 * whether it is the current password or a new one.
 */
export function PasswordField(
  props: Omit<TextFieldProps, 'type' | 'end'> & { autoComplete: 'current-password' | 'new-password' },
) {
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <TextField
      {...props}
      type={isShown ? 'text' : 'password'}
      autoCapitalize="none"
      end={
        <IconButton
          className={styles.eye}
          label={isShown ? 'Hide password' : 'Show password'}
          icon={<Icon aria-hidden="true" />}
          onPress={() => setShown(!isShown)}
        />
      }
    />
  );
}

interface Props {
  /** The accessible name, and the placeholder of the empty field. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Called on Enter. */
  onApply?: () => void;
  onClear: () => void;
}

/** A search field for the list below it. */
export function SearchField({ label, value, onChange, onApply, onClear }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onApply?.();
  };
  const clear = () => {
    onClear();
    input.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: <search> is younger than the oldest engine
    <form role="search" aria-label={label} noValidate onSubmit={submit}>
      <TextField
        ref={input}
        label={label}
        isLabelHidden
        placeholder={label}
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        autoCapitalize="none"
        maxLength={limits.searchCharacters}
        value={value}
        onChange={onChange}
        start={<Search aria-hidden="true" />}
        end={
          value !== '' && (
            <IconButton className={styles.clear} label="Clear" icon={<X aria-hidden="true" />} onPress={clear} />
          )
        }
      />
    </form>
  );
}

interface FieldNoteProps {
  /** The field refers to this id as its description. */
  id: string;
  problem?: string | null | undefined;
  hint?: string | undefined;
}

/** The note below a field: the reason of a refusal, or else the hint. */
export function FieldNote({ id, problem, hint }: FieldNoteProps) {
  if (problem) {
    return (
      <p id={id} className={styles.problem} role="alert">
        <CircleAlert aria-hidden="true" />
        {problem}
      </p>
    );
  }
  return hint ? (
    <p id={id} className={styles.hint}>
      {hint}
    </p>
  ) : null;
}
