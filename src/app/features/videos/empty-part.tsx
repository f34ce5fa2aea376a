import { Button } from '#app/ui/button.tsx';
import { LogoOutline } from '#app/ui/logo.tsx';
import styles from './empty-part.module.css';

interface Props {
  heading: string;
  sentence: string;
  action?: { label: string; onPress: () => void };
}

/** Why a part of the view is empty, and how it is filled. */
export function EmptyPart({ heading, sentence, action }: Props) {
  return (
    <div className={styles.empty}>
      <LogoOutline className={styles.art} />
      <h2>{heading}</h2>
      <p className={styles.sentence}>{sentence}</p>
      {action && <Button kind="line" label={action.label} onPress={action.onPress} />}
    </div>
  );
}
