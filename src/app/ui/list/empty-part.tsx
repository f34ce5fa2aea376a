import { Button } from '../button.tsx';
import { LogoOutline } from '../logo.tsx';
import styles from './empty-part.module.css';

interface Props {
  heading?: string;
  sentence?: string;
  action?: { label: string; onPress: () => void };
}

/** Why a list is empty, and how it is filled. */
export function EmptyPart({ heading, sentence, action }: Props) {
  return (
    <div className={styles.empty}>
      <LogoOutline className={styles.art} />
      {heading !== undefined && <h2>{heading}</h2>}
      {sentence !== undefined && <p className={styles.sentence}>{sentence}</p>}
      {action && <Button kind="line" label={action.label} onPress={action.onPress} />}
    </div>
  );
}
