import { CircleAlert } from 'lucide-react';
import styles from './field-note.module.css';

interface Props {
  /** What the field names as its description. */
  id: string;
  problem?: string | null | undefined;
  hint?: string | undefined;
}

/** Below a field: why its value was refused, else what helps to fill it in. */
export function FieldNote({ id, problem, hint }: Props) {
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
