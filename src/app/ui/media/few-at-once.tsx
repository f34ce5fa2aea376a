import { useSnapshot } from 'valtio';
import { tryFourAgain } from '#app/playback/decoder-trials.ts';
import { shownAtOnce } from '#app/playback/media-budget.ts';
import { quadrants } from '#contract/quadrants.ts';
import { Button } from '../button.tsx';

/** Says that this device shows fewer than four videos at once, and offers to find out anew. */
export function FewAtOnce({ className }: { className: string | undefined }) {
  const { count } = useSnapshot(shownAtOnce);
  if (count === quadrants.length) return null;
  return (
    <div className={className}>
      <p>{`This device plays ${count} of ${quadrants.length} at once.`}</p>
      <Button label="Try four again" kind="line" onPress={tryFourAgain} />
    </div>
  );
}
