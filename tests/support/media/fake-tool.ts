import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A program in place of ffmpeg: it says that it is one when asked for its version, and does what the script says for
 * everything else.
 * @returns its path
 */
export function fakeTool(folder: string, script: string): string {
  const file = join(folder, 'fake-ffmpeg');
  writeFileSync(file, `#!/bin/sh\nif [ "$1" = -version ]; then echo 'ffmpeg version fake'; exit 0; fi\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}
