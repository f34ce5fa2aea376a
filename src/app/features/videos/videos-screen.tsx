import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { onBlocklistChange } from '#app/state/channels/blocklist.ts';
import { Page } from '#app/ui/page.tsx';
import { applyBlocklist, openBrowsing } from './browse-store.ts';
import { ChannelChips } from './channels/channel-chips.tsx';
import { closePlayer } from './player/player-store.ts';
import { VideoPlayer } from './player/video-player.tsx';
import { Results } from './results/results.tsx';

interface Props {
  title: string;
  notice: ReactNode;
}

/** §2 Videos: channels to choose from, and their videos. */
export function VideosScreen({ title, notice }: Props) {
  useEffect(openBrowsing, []);
  useEffect(() => onBlocklistChange(applyBlocklist), []);
  useEffect(() => closePlayer, []);
  return (
    <Page title={title} notice={notice}>
      <ChannelChips />
      <Results />
      <VideoPlayer />
    </Page>
  );
}
