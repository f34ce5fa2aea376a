import type { FormEvent } from 'react';
import { useId, useState } from 'react';
import { readPageJump } from '#contract/rules/pages.ts';
import styles from './page-jump.module.css';

interface Props {
  page: number;
  lastPage: number;
  onGo: (page: number) => void;
}

/**
 * A page by its number. What is no page clears the field, and so does every change of the page (§4 Tagging, §5 Page
 * jump).
 */
export function PageJump({ page, lastPage, onGo }: Props) {
  const id = useId();
  const [typed, setTyped] = useState({ page, text: '' });
  const text = typed.page === page ? typed.text : '';
  const setText = (next: string) => setTyped({ page, text: next });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const asked = readPageJump(text, lastPage);
    setText('');
    if (asked !== null) onGo(asked);
  };
  return (
    <form className={styles.jump} noValidate onSubmit={submit}>
      <label htmlFor={id} className={styles.label}>
        Go to <span className="visually-hidden">page</span>
      </label>
      <input
        id={id}
        className={styles.input}
        inputMode="numeric"
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  );
}
