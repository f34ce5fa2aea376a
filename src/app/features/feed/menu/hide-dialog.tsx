import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { FormDialog } from '#app/ui/form/form-dialog.tsx';
import { useBackLayer } from '#app/ui/overlay/use-back-layer.ts';
import * as confirmations from '#contract/confirmations.ts';
import type { FeedVideo } from '../quadrant/feed-video.ts';
import { hideForm, openHideForm } from './hide-store.ts';
import { closeQuadrantMenu } from './quadrant-menu-store.ts';

/** Asks before a video is hidden. Closing it closes the menu that it was opened from. */
export function HideDialog({ video }: { video: FeedVideo }) {
  const { isReachable } = useSnapshot(connection);
  useBackLayer(closeQuadrantMenu);
  useEffect(() => openHideForm(video.id), [video.id]);
  return (
    <FormDialog
      form={hideForm}
      title="Hide Video"
      sentence={confirmations.hideVideo(video.filename)}
      action="Hide video"
      busy="Hiding..."
      isAlert
      isOffline={!isReachable}
      onClose={closeQuadrantMenu}
    />
  );
}
