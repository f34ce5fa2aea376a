import { useSnapshot } from 'valtio';
import { Notice } from '#app/ui/card/notice.tsx';
import type { PersonCard } from './person-store.ts';
import { personPage } from './person-store.ts';

/** The outcome of the last change, on the card where it was made. */
export function PersonNotice({ card }: { card: PersonCard }) {
  const { notice } = useSnapshot(personPage);
  return <Notice notice={notice?.card === card ? notice : null} />;
}
