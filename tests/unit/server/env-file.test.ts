import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkEnvFile, EnvRefused, readProcessEnv } from '#server/env.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const example = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8');

describe('a .env', () => {
  test('that is a copy of the example is taken without a word', () => {
    expect(checkEnvFile(example)).toEqual({ problems: [], warnings: [] });
    expect(checkEnvFile(example.replaceAll('\n', '\r\n'))).toEqual({ problems: [], warnings: [] });
  });

  test.each([
    'PORT=4400',
    'PORT=',
    'export PORT=4400',
    "SITE_PASSWORD='open # sesame '",
    'SITE_PASSWORD="open sesame"',
    'SITE_PASSWORD=open sesame',
    'LIBRARY_DIRS=/some/videos:/other videos',
    '# PROT=80',
    '',
  ])('with the line %j is taken', (line) => {
    expect(checkEnvFile(`HOST=0.0.0.0\n${line}\n`)).toEqual({ problems: [], warnings: [] });
  });

  test.each([
    'SITE_PASSWORD=s3cret#2',
    'SITE_PASSWORD=s3cret # the password',
    'SITE_PASSWORD=s3cret ',
    'SITE_PASSWORD= s3cret',
    'SITE_PASSWORD="s3cret" 2',
    'SITE_PASSWORD="s3cret',
    'SITE_PASSWORD="s3cret\\n2"',
    'SITE_PASSWORD="s3cret\\"2"',
  ])('whose line %j would be read as something else is refused by its line, and the value is not repeated', (line) => {
    const { problems } = checkEnvFile(`HOST=0.0.0.0\n\n${line}`);
    expect(problems).toEqual([
      expect.stringMatching(/^\.env line 3: SITE_PASSWORD would not be read as it is written/),
    ]);
    expect(problems.join()).not.toContain('s3cret');
  });

  test.each([
    ['SITE_PASWORD=x', 'SITE_PASSWORD'],
    ['SITEPASSWORDS=x', 'SITE_PASSWORD'],
    ['site_password=x', 'SITE_PASSWORD'],
    ['PROT=80', 'PORT'],
    ['LIBRARY_DIR=/x', 'LIBRARY_DIRS'],
  ])('with the misspelt name in %s is refused, and says what may be meant', (line, meant) => {
    expect(checkEnvFile(line).problems).toEqual([
      `.env line 1: ${line.split('=')[0]} is no setting of Fourfold; is it ${meant}?`,
    ]);
  });

  test.each(['TZ=UTC', 'PGPASSWORD=x', 'NODE_OPTIONS=x', 'HOSTNAMES=x'])(
    'with a name that means nothing here, as in %s, is taken with a warning',
    (line) => {
      expect(checkEnvFile(line)).toEqual({
        problems: [],
        warnings: [`.env line 1: ${line.split('=')[0]} is no setting of Fourfold`],
      });
    },
  );

  test('is refused for a byte order mark, and for a line that says nothing', () => {
    expect(checkEnvFile('\uFEFFPORT=4400').problems).toEqual([
      expect.stringContaining('line 1 begins with a byte order mark'),
    ]);
    expect(checkEnvFile('PORT=4400\nSITE_PASSWORD s3cret').problems).toEqual([
      '.env line 2 is neither a comment nor NAME=value',
    ]);
  });
});

test('a .env that cannot be read is refused by its name, and not as a fault of another setting', () => {
  const folder = temporaryFolder();
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
  mkdirSync(join(folder, '.env'));
  expect(() => readProcessEnv()).toThrow(EnvRefused);
  expect(() => readProcessEnv()).toThrow('.env cannot be read (EISDIR)');
});
