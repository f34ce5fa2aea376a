import type { Container } from '../containers/container-sniff.ts';
import type { DescribedAudioTrack } from '../ffmpeg/described-sound.ts';
import type { DescribedVideoTrack } from '../ffmpeg/described-video.ts';

/** Containers that say when each frame is shown: AVI and ASF do not, and frames out of order would end up anywhere. */
const timedContainers = new Set<Container>(['mp4', 'mov', 'matroska', 'flv', 'mpeg-ts']);
/** 1080 lines are coded as 1088. Of the shorter side. */
const copiedLinesMax = 1_088;

/**
 * Whether the picture plays everywhere, once it is in another container or has other sound. Interlaced ones do not:
 * players show their combs.
 */
export function choosesCopy(
  container: Container,
  videoTrack: DescribedVideoTrack,
  audioTrack: DescribedAudioTrack | null,
): boolean {
  const playsAsItIs = container === 'mp4' && (audioTrack === null || copiesAudio(audioTrack));
  return !playsAsItIs && timedContainers.has(container) && playsEverywhere(videoTrack);
}

function playsEverywhere({
  codec,
  bitDepth,
  chroma,
  width,
  height,
  isInterlaced,
  isHdr,
}: DescribedVideoTrack): boolean {
  return (
    codec === 'avc' &&
    bitDepth === 8 &&
    chroma === '4:2:0' &&
    isInterlaced !== true &&
    !isHdr &&
    Math.min(width, height) <= copiedLinesMax
  );
}

/** Profiles of AAC that are no older or newer than what browsers know. */
const knownAacProfiles = new Set([null, 'LC', 'HE-AAC', 'HE-AACv2']);

/** Whether every player plays it in an MP4. */
export function copiesAudio({ codec, profile }: DescribedAudioTrack): boolean {
  return codec === 'mp3' || (codec === 'aac' && knownAacProfiles.has(profile));
}
