import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { onBlocklistChange } from '#app/state/blocklist.ts';
import { Banner } from '#app/ui/banner.tsx';
import { Page } from '#app/ui/page.tsx';
import { applyBlocklist, openBrowsing } from './browse-store.ts';
import { ChannelChips } from './channels/channel-chips.tsx';
import { closePlayer, dismissFailure, player, playShared } from './player/player-store.ts';
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
  useEffect(() => {
    void playShared();
    return closePlayer;
  }, []);
  return (
    <Page title={title} notice={notice}>
      <PlayerFailure />
      <ChannelChips />
      <Results />
      <VideoPlayer />
    </Page>
  );
}

function PlayerFailure() {
  const { failure } = useSnapshot(player);
  if (failure === null) return null;
  return (
    <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={failure} onDismiss={dismissFailure} />
  );
}
