import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { projectFolder } from '#scripts/build-stamp.ts';

const read = (file: string) => readFileSync(join(projectFolder, file), 'utf8');
const readme = read('README.md');
const manifest = JSON.parse(read('package.json')) as Record<
  'scripts' | 'dependencies' | 'devDependencies' | 'optionalDependencies',
  Record<string, string>
>;

test('what a developer runs first in a fresh clone installs what it needs', () => {
  const direct = Object.entries(manifest.scripts).filter(([, line]) => !line.startsWith('node src/scripts/ensure-'));
  // Operators and the container install by themselves before they build.
  expect(direct.map(([name]) => name)).toEqual(['build']);
});

test('npm run dev forwards calls to the port that the server listens on', async () => {
  vi.stubEnv('PORT', '4717');
  const { default: config } = await import('../../../vite.config.ts');
  expect(config).toMatchObject({ server: { proxy: { '/api/': 'http://localhost:4717' } } });
});

/** The lines between a heading and the next one. */
function section(heading: string): string {
  const [, text = ''] = readme.split(`\n## ${heading}\n`);
  return text.split('\n## ')[0] ?? '';
}

/** The first block of a language in a section. */
function codeBlock(heading: string, language: string): string {
  return new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(section(heading))?.[1] ?? '';
}

describe('"Why these"', () => {
  const rows = section('Why these')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| library'));
  const named = rows.flatMap(
    (row) =>
      row
        .split('|')[1]
        ?.split(',')
        .map((name) => name.trim()) ?? [],
  );

  test('names every library of the project once, and nothing else', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const used = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
      (name) => !name.startsWith('@types/'),
    );
    expect(named.toSorted()).toEqual(used.toSorted());
  });

  test('says of each library that the product does not import that nothing loads it yet', () => {
    const sources = globSync(['{src,sw}/**/*.{ts,tsx,css,mjs}', 'vite.config.ts'], { cwd: projectFolder })
      .map(read)
      .join('\n');
    const unused = Object.keys(manifest.dependencies).filter((name) => !new RegExp(`['"/]${name}['"/]`).test(sources));
    const waiting = rows
      .filter((row) => /nothing loads (it|them) yet/.test(row))
      .flatMap(
        (row) =>
          row
            .split('|')[1]
            ?.split(',')
            .map((name) => name.trim()) ?? [],
      );
    expect(unused).toEqual(waiting);
  });
});

describe('the service file', () => {
  const unit = codeBlock('Running it for good', 'ini');
  const lines = unit.split('\n').filter((line) => line !== '');
  const settings = lines.filter((line) => !line.startsWith('['));
  const settingsOf = (key: string) =>
    settings.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
  const settingOf = (key: string) => settingsOf(key).join(' ');

  test('has the three sections of a service, and one setting a line', () => {
    expect(lines.filter((line) => line.startsWith('['))).toEqual(['[Unit]', '[Service]', '[Install]']);
    expect(settings.filter((line) => !/^[A-Z][A-Za-z]+=\S*(?: \S+)*$/.test(line))).toEqual([]);
  });

  test('starts what `npm start` starts, with the Node of the checkout', () => {
    const [folder, command] = [settingOf('WorkingDirectory'), settingOf('ExecStart')];
    const [program = '', ...args] = command.split(' ');
    expect(program).toBe(`${folder}/node_modules/.bin/node`);
    expect(manifest.scripts.start).toContain(`node ${args.join(' ')}`);
    const variables = settingOf('Environment').split(' ');
    const [, allocator] = /(MALLOC_ARENA_MAX=\d+)/.exec(manifest.scripts.start ?? '') ?? [];
    expect(variables).toContain(allocator);
  });

  test('writes into the folders that systemd makes for it, and into no other', () => {
    const variables = Object.fromEntries(
      settingOf('Environment')
        .split(' ')
        .map((pair) => pair.split('=')),
    );
    expect(variables.DATA_DIR).toBe(`/var/lib/${settingOf('StateDirectory')}`);
    expect(variables.NODE_COMPILE_CACHE).toBe(`/var/cache/${settingOf('CacheDirectory')}`);
    expect([settingOf('ProtectSystem'), settingsOf('ReadWritePaths')]).toEqual(['strict', []]);
  });

  test('runs as a user of its own without capabilities, and leaves the calls that the sandbox of ffmpeg needs', () => {
    expect([settingOf('User'), settingsOf('CapabilityBoundingSet'), settingOf('NoNewPrivileges')]).toEqual([
      'fourfold',
      [''],
      'true',
    ]);
    const calls = ['landlock_create_ruleset', 'landlock_add_rule', 'landlock_restrict_self'];
    expect(settingOf('SystemCallFilter').split(' ')).toEqual(expect.arrayContaining(calls));
    // Node compiles while it runs.
    expect(settingsOf('MemoryDenyWriteExecute')).toEqual([]);
  });

  test('is not started again when the settings are wrong', () => {
    const exitConfig = /exitConfig = (\d+)/.exec(read('src/server/main.ts'))?.[1];
    expect([settingOf('Restart'), settingOf('RestartPreventExitStatus')]).toEqual(['on-failure', exitConfig]);
  });
});

test('every command that the README shows exists', () => {
  const commands = [...readme.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name ?? '');
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.filter((name) => !(name in manifest.scripts))).toEqual([]);
});

test('no package runs a script when it is installed, and so none of ours comes before or after another by its name', () => {
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  const installs = [...readme.matchAll(/\bnpm ci\b[^&`\n]*/g)].map(([command]) => command.trim());
  expect(new Set(installs)).toEqual(new Set(['npm ci --ignore-scripts']));
  const names = Object.keys(manifest.scripts);
  const hooks = names.filter((name) => /^(pre|post)/.test(name) && names.includes(name.replace(/^(pre|post)/, '')));
  expect(hooks).toEqual([]);
});
