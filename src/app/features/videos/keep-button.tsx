import { ArrowDownToLine, Check } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { renditionOf, toPlayableVideo } from '#app/playback/quality/playable-video.ts';
import { keepingOf, requestKeep, savedOf, startKeeping } from '#app/state/saved/keeping.ts';
import { removeSaved } from '#app/state/saved/saved-session.ts';
import { saved } from '#app/state/saved/saved-state.ts';
import { Button, IconButton } from '#app/ui/button.tsx';
import { savingText } from '#app/ui/texts.ts';
import type { Channel, VideoCard } from './browse-store.ts';

/** Keeps the video of the player on this device, or removes it. */
export function KeepButton({ video }: { video: VideoCard }) {
  useEffect(startKeeping, []);
  const { rows, encodings } = useSnapshot(saved) as typeof saved;
  const kept = savedOf(rows, video.id);
  const playable = toPlayableVideo(video, renditionOf(video.url));
  if (kept?.kind === 'chosen') {
    const label = kept.state === 'whole' ? 'Kept offline' : savingText(kept, encodings[kept.id]);
    return <IconButton label={label} icon={<Check aria-hidden="true" />} onPress={() => void removeSaved([kept.id])} />;
  }
  if (!keepingOf(playable, false)) return null;
  return (
    <IconButton
      label="Keep offline"
      icon={<ArrowDownToLine aria-hidden="true" />}
      onPress={() => requestKeep({ kind: 'video', video: playable })}
    />
  );
}

/** Keeps the newest videos of the chosen channels, and those that come. */
export function KeepChannels({ chosen }: { chosen: readonly Pick<Channel, 'id' | 'name'>[] }) {
  const tagIds = chosen.map(({ id }) => id);
  const name = chosen.map((channel) => channel.name).join(', ');
  return (
    <Button
      kind="line"
      label="Keep offline"
      onPress={() => requestKeep({ kind: 'filter', filter: { tagIds, mode: 'OR' }, name })}
    />
  );
}
