import { expect, test, vi } from 'vitest';
import { createLog, createProcessLog, withoutQuery } from '#server/log.ts';

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  write(createLog('info', { write: (line) => void lines.push(line) }));
  return lines.join('');
}

test('the log hides what proves who somebody is, wherever it stands in a line', () => {
  const line = logged((log) => {
    log.info(
      {
        headers: { authorization: 'Bearer s3cret', cookie: 's3cret', AccessKey: 's3cret' },
        body: { password: 's3cret', access_token: 's3cret' },
        refresh_token: 's3cret',
      },
      'x',
    );
    log.info({ request: { headers: { authorization: 's3cret', cookie: 's3cret' } } }, 'x');
  });
  expect(line).not.toContain('s3cret');
  expect(line).toContain('[hidden]');
});

test('a line of the log is one line, whatever it says', () => {
  const line = logged((log) => log.info({ path: 'a\r\n{"level":"fatal"}' }, 'x\ny'));
  expect(line.trimEnd().split('\n').length).toBe(1);
});

test('on a terminal a message is one line, and no name of a file steers what stands around it', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const log = createProcessLog({ isProduction: false, logLevel: undefined });
  const name = '\u001b[2J\u202egpj.\r\n  error: all is lost.mp4';
  log.warn({ err: new Error(`cannot read '${name}'`) }, `skipped ${name}`);
  const lines = write.mock.calls
    .map(([text]) => String(text))
    .join('')
    .split('\n');
  vi.restoreAllMocks();
  expect(lines[0]).toBe('  warn: skipped \\u001b[2J\\u202egpj.\\u000d\\u000a  error: all is lost.mp4');
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.slice(1, -1).every((line) => line.startsWith('    '))).toBe(true);
  expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
});

test('an address is logged without its query', () => {
  expect(withoutQuery('/api/video/stream?path=a&signature=b')).toBe('/api/video/stream');
  expect(withoutQuery('/a#b?c')).toBe('/a');
  expect(withoutQuery('/a')).toBe('/a');
});
