import { useSnapshot } from 'valtio';
import { Button } from '#app/ui/button.tsx';
import { countText } from '#app/ui/count-text.ts';
import { checkAssignedTags } from '#contract/rules/tag.ts';
import { assignTicked, tagging } from '../tagging-store.ts';
import styles from './panel-part.module.css';

/** Assigns what is ticked. */
export function AssignButton() {
  const { ticked } = useSnapshot(tagging);
  const problem = ticked.length === 0 ? null : checkAssignedTags(ticked.map(({ id }) => id));
  return (
    <>
      {problem !== null && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
      <Button
        label={`Assign ${countText(ticked.length, 'Tag')}`}
        isBlock
        isDisabled={ticked.length === 0 || problem !== null}
        onPress={() => void assignTicked()}
      />
    </>
  );
}
