import { Search, X } from 'lucide-react';
import type { FormEvent } from 'react';
import { useRef } from 'react';
import { limits } from '#contract/limits.ts';
import { IconButton } from '../icon-button.tsx';
import styles from './search-field.module.css';
import { TextField } from './text-field.tsx';

interface Props {
  /** Also stands in the empty field. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Enter. */
  onApply?: () => void;
  onClear: () => void;
}

/** A field that searches what stands below it. */
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
