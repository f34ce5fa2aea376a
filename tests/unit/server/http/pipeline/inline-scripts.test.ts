import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashInlineScripts } from '#server/http/protection/security-headers.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

test('a page allows the script that it carries, and no other', async () => {
  const page = join(await temporaryFolder(), 'index.html');
  await writeFile(page, '<head><script>ask();</script><script async src="/engine.js"></script></head>');
  const digest = createHash('sha256').update('ask();').digest('base64');
  expect(await hashInlineScripts(page)).toEqual([`'sha256-${digest}'`]);
});

test('where the app is not built no script is allowed', async () => {
  expect(await hashInlineScripts('/none/index.html')).toEqual([]);
});
