import type { DescribedAudioTrack, DescribedVideoTrack, Description } from '#server/media/ffmpeg/ffmpeg-description.ts';

/** Full HD that plays everywhere, but for what is given. */
export function describedVideo(facts: Partial<DescribedVideoTrack> = {}): DescribedVideoTrack {
  return {
    index: 0,
    codec: 'avc',
    profile: 'High',
    bitDepth: 8,
    chroma: '4:2:0',
    width: 1920,
    height: 1080,
    matrix: 'bt709',
    isHdr: false,
    hdrTransfer: null,
    framesPerSecond: 25,
    hasVariableRate: false,
    isInterlaced: false,
    ...facts,
  };
}

/** Stereo that plays everywhere, but for what is given. */
export function describedAudio(facts: Partial<DescribedAudioTrack> = {}): DescribedAudioTrack {
  const track = { index: 1, codec: 'aac', profile: 'LC', channels: 2, language: null, title: null, isDefault: false };
  return { ...track, ...facts };
}

/** A minute of such a video with such sound, but for what is given. */
export function describedFile(
  videoTrack: DescribedVideoTrack = describedVideo(),
  facts: Partial<Description> = {},
): Description {
  return {
    durationMs: 60_000,
    isDurationGuessed: false,
    startSeconds: 0,
    kbps: 8_000,
    audioCodec: 'aac',
    audioTracks: [describedAudio()],
    subtitles: [],
    videoTrack,
    ...facts,
  };
}
