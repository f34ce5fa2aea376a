/** Media Capabilities: Chromium 66, Safari 13, Firefox 63. */
function mediaCapabilities(): MediaCapabilities | undefined {
  return navigator.mediaCapabilities as MediaCapabilities | undefined;
}

export interface AskedVideo {
  /** Pixels. */
  width: number;
  height: number;
  /** Bits per second. */
  bitrate: number;
}

/** How a browser decodes a type; null where it cannot be asked, or does not say. */
export async function askDecodingInfo(
  contentType: string,
  size: AskedVideo,
): Promise<{ supported: boolean; smooth: boolean } | null> {
  const tracks = contentType.startsWith('audio')
    ? { audio: { contentType, channels: '2', bitrate: 192_000, samplerate: 48_000 } }
    : { video: { contentType, ...size, framerate: 30 } };
  try {
    return (await mediaCapabilities()?.decodingInfo({ type: 'file', ...tracks })) ?? null;
  } catch {
    // It does not know the type: a refusal would say so.
    return null;
  }
}
