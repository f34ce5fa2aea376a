import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const inlineScript = /<script>([\s\S]*?)<\/script>/g;

/**
 * The scripts that a page of ours carries in itself, as its Content-Security-Policy names them. None where the app is
 * not built.
 */
export async function hashInlineScripts(page: string): Promise<string[]> {
  const html = await readFile(page, 'utf8').catch(() => '');
  return [...html.matchAll(inlineScript)].map(
    ([, code]) =>
      `'sha256-${createHash('sha256')
        .update(code ?? '')
        .digest('base64')}'`,
  );
}
