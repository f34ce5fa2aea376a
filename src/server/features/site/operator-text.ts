import { open } from 'node:fs/promises';

const maxBytes = 256 * 1024;

/** The operator's text, else the one that came with the product. Longer texts are cut. */
export async function readOperatorText(operatorFile: string, shippedFile: string): Promise<string> {
  return (await readText(operatorFile)) ?? (await readText(shippedFile)) ?? '';
}

async function readText(file: string): Promise<string | null> {
  try {
    await using handle = await open(file);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxBytes), { position: 0 });
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return null;
  }
}
