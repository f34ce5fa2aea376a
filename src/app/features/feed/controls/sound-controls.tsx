import { Volume2, VolumeX } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { canSetVolume } from '#app/platform/capabilities.ts';
import { playerFacts } from '#app/playback/player/player-store.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { ControlButton } from './control-button.tsx';
import { Slider } from './slider.tsx';
import { setVolume, toggleMute } from './sound.ts';

interface Props {
  quadrant: Quadrant;
  hint: string | undefined;
  buttonClass: string | undefined;
  sliderClass: string | undefined;
}

/** Mute, and the volume where the system lets a page set it. */
export function SoundControls({ quadrant, hint, buttonClass, sliderClass }: Props) {
  const { isMuted, volume } = useSnapshot(playerFacts[quadrant]);
  return (
    <>
      <ControlButton
        label={isMuted ? 'Unmute' : 'Mute'}
        icon={isMuted ? <VolumeX /> : <Volume2 />}
        hint={hint}
        className={buttonClass}
        onPress={() => toggleMute(quadrant)}
      />
      {canSetVolume() && (
        <Slider
          label="Volume"
          className={sliderClass}
          max={limits.volumeMax}
          step={limits.volumeStep}
          value={volume}
          onMove={(wished) => setVolume(quadrant, wished)}
        />
      )}
    </>
  );
}
