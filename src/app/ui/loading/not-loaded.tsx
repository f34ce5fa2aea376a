import type { ReactNode } from 'react';
import { EmptyView } from '../empty-view.tsx';

interface Props {
  title: string;
  notice?: ReactNode;
}

/** Shown instead of a view whose file could not be loaded: offline and not cached, or removed with an older version. */
export function NotLoaded({ title, notice }: Props) {
  return (
    <EmptyView
      title={title}
      notice={notice}
      sentence="This view could not be loaded."
      action={{ label: 'Reload', onPress: () => location.reload() }}
    />
  );
}
