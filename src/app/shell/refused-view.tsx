import { useSnapshot } from 'valtio';
import type { ViewName } from '../state/navigation.ts';
import { navigation, openDialog } from '../state/navigation.ts';
import { session } from '../state/session.ts';
import { EmptyView } from '../ui/loading.tsx';
import type { ScreenProps } from '../views.ts';

interface Words {
  heading: string;
  sentence: string;
}

const adminsOnly: Words = { heading: 'Access Denied', sentence: 'Only administrators can open this.' };

/** §2: the text of each view for users without permission. */
const refusals: Partial<Record<ViewName, Words>> = {
  upload: {
    heading: 'Please log in to upload videos',
    sentence: 'You need to be authenticated to access the upload feature.',
  },
  'tag-management': { heading: 'Access Denied', sentence: 'Please log in to access tag management' },
  'video-tagging': { heading: 'Access Denied', sentence: 'Please log in to access video tagging' },
};

/** The text of a view while the session is loading. */
const checks: Partial<Record<ViewName, Words>> = {
  upload: { heading: 'Loading...', sentence: 'Checking your upload permissions...' },
};

/** Shown instead of a view that the user may not open (§6). */
export function RefusedView({ title, notice, onBack }: ScreenProps) {
  const { view } = useSnapshot(navigation);
  const { phase, user } = useSnapshot(session);
  if (phase === 'loading')
    return <EmptyView title={title} notice={notice} {...(checks[view] ?? { sentence: 'Loading...' })} />;
  const action =
    user === null
      ? { label: 'Sign In', onPress: () => openDialog('sign-in') }
      : { label: 'Back to the feed', onPress: onBack };
  return <EmptyView title={title} notice={notice} {...(refusals[view] ?? adminsOnly)} action={action} />;
}
