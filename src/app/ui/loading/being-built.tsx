import type { ReactNode } from 'react';
import { EmptyView } from '../empty-view.tsx';

interface Props {
  title: string;
  notice?: ReactNode;
  onBack: () => void;
}

/** Shown instead of a view that has no screen yet. */
export function BeingBuilt({ title, notice, onBack }: Props) {
  return (
    <EmptyView
      title={title}
      notice={notice}
      sentence="This part is being built."
      action={{ label: 'Back to the feed', onPress: onBack }}
    />
  );
}
