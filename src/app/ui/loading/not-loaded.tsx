import type { ReactNode } from 'react';
import { EmptyView } from '../empty-view.tsx';

interface Props {
  title: string;
  notice?: ReactNode;
}

/** Stands for a view whose file could not be had: no network and not kept on the device, or gone with the version that this page is of. */
export function NotLoaded({ title, notice }: Props) {
  return <EmptyView title={title} notice={notice} sentence="This view could not be loaded." action={{ label: 'Reload', onPress: () => location.reload() }} />;
}
