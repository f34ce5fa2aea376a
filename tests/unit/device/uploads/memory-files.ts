/** Content without long repetitions. */
export function someBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 1) bytes[at] = at * 31 + (at >> 8) * 17;
  return bytes;
}

/** What a browser gives for a picked file. */
export function fakeHandle(
  file: () => File | Promise<File>,
  state: PermissionState = 'granted',
  answer: PermissionState = state,
): FileSystemFileHandle {
  const handle = {
    getFile: async () => file(),
    queryPermission: async () => state,
    requestPermission: async () => answer,
  };
  return handle as unknown as FileSystemFileHandle;
}
